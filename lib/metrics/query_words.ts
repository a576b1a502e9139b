/** Queries, formulas and their groups in words. */
import { formatFilter } from "./filter_text.ts";
import type { Formula, MetricQuery } from "./query_types.ts";

/** What each query and formula is called, by id. */
export type QueryNames = Readonly<Record<string, string>>;

/** `p95 of http.server.request.duration, route="/cart"`. */
export function queryWords({ metric, aggregation, filter }: MetricQuery): string {
  const narrowed = filter.length === 0 ? "" : `, ${formatFilter(filter)}`;
  return `${aggregation} of ${metric}${narrowed}`;
}

/** Names for charts and legends: queries in words, formulas as they are written. */
export function queryNames(
  queries: readonly MetricQuery[],
  formulas: readonly Formula[],
): QueryNames {
  return Object.fromEntries([
    ...queries.map((query): [string, string] => [query.id, queryWords(query)]),
    ...formulas.map(({ id, expression }): [string, string] => [id, expression]),
  ]);
}

/** The labels of a group: the value alone where there is one label, else `host=a, zone=b`; `""` without labels. */
export function groupWords(labels: Readonly<Record<string, string>>): string {
  const entries = Object.entries(labels);
  const [only] = entries;
  if (only && entries.length === 1) return only[1] === "" ? `no ${only[0]}` : only[1];
  return entries.map(([label, value]) => `${label}=${value === "" ? '""' : value}`).join(", ");
}

/** The title of a chart of some queries and formulas: two are named, more are counted. */
export function chartTitle(ids: readonly string[], names: QueryNames): string {
  if (ids.length > 2) return `${ids.length} queries`;
  return ids.map((id) => names[id] ?? id).join(" · ") || "Nothing is shown";
}
