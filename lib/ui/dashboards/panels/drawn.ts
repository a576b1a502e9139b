import type { MetricsPanel } from "../../../dashboards/content.ts";
import type { QueryResult } from "../../../telemetry/metrics/query_types.ts";
import { type QueryNames, queryNames } from "../../metrics/query_words.ts";

/** Ids of the queries and formulas that a panel draws. */
export function drawnIds({ queries, formulas, hidden }: MetricsPanel): string[] {
  return [...queries, ...formulas].map(({ id }) => id).filter((id) => !hidden.includes(id));
}

/** A result without what is not drawn: series then go by their groups alone, where one query is. */
export function drawnOf(result: QueryResult, queryIds: readonly string[]): QueryResult {
  return { ...result, series: result.series.filter(({ queryId }) => queryIds.includes(queryId)) };
}

/** What queries are called in legends; the only formula goes by the title of its panel. */
export function namesIn(
  { queries, formulas }: MetricsPanel,
  title: string,
  queryIds: readonly string[],
): QueryNames {
  const names = queryNames(queries, formulas);
  const [only] = queryIds;
  const isFormula = queryIds.length === 1 && formulas.some(({ id }) => id === only);
  return isFormula && only !== undefined ? { ...names, [only]: title } : names;
}
