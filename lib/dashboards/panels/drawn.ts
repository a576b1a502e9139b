import type { MetricsPanel } from "../content.ts";
import type { QueryResult } from "../../metrics/query_types.ts";
import { type QueryNames, queryNames } from "../../metrics/query_words.ts";

/** Ids of the queries and formulas that a panel draws. */
export function drawnIds({ queries, formulas, hidden }: MetricsPanel): string[] {
  return [...queries, ...formulas].map(({ id }) => id).filter((id) => !hidden.includes(id));
}

/** A result without what is not drawn: series then go by their groups alone, where one query is. */
export function drawnOf(result: QueryResult, queryIds: readonly string[]): QueryResult {
  return { ...result, series: result.series.filter(({ queryId }) => queryIds.includes(queryId)) };
}

/**
 * What queries are called in legends: the only formula goes by the title of its panel, and queries that differ in
 * nothing else by their aggregation.
 */
export function namesIn(
  { queries, formulas }: MetricsPanel,
  title: string,
  queryIds: readonly string[],
): QueryNames {
  const names = {
    ...queryNames(queries, formulas),
    ...differInAggregation(queries, queryIds) &&
      Object.fromEntries(queries.map(({ id, aggregation }) => [id, aggregation])),
  };
  const [only] = queryIds;
  const isFormula = queryIds.length === 1 && formulas.some(({ id }) => id === only);
  return isFormula && only !== undefined ? { ...names, [only]: title } : names;
}

/** Whether all that is drawn are queries of one metric and filter, each with an aggregation of its own. */
function differInAggregation(
  queries: MetricsPanel["queries"],
  queryIds: readonly string[],
): boolean {
  const drawn = queries.filter(({ id }) => queryIds.includes(id));
  const sources = drawn.map(({ metric, kind, unit, filter }) =>
    JSON.stringify([metric, kind, unit, filter])
  );
  return drawn.length > 1 && drawn.length === queryIds.length && new Set(sources).size === 1 &&
    new Set(drawn.map(({ aggregation }) => aggregation)).size === drawn.length;
}
