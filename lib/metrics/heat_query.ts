import type { MetricQuery } from "./query_types.ts";
import type { QueryForm } from "./query_form/load_query_form.ts";

/** The query that a heat map shows: the first one of a histogram that is not hidden; null without one. */
export function heatQueryOf(
  { queries, hidden, known }: Pick<QueryForm, "queries" | "hidden" | "known">,
): MetricQuery | null {
  return queries.find(({ id, kind, metric }) =>
    !hidden.includes(id) &&
    ((kind ?? known[metric]?.[0]?.kind) === "histogram" || metric.endsWith("_bucket"))
  ) ?? null;
}
