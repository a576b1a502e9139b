import { runHeatmap } from "./query/heatmap.ts";
import type { QueryServices } from "./query/run_queries.ts";
import type { MetricQuery, QueryRequest } from "./query_types.ts";
import { formatExactOf } from "../ui/format.ts";
import { formatFilter } from "./filter_text.ts";
import type { Heat } from "./heat.ts";

/**
 * The spread of the values that a query of a histogram asks for.
 *
 * @throws {InvalidQuery} when it has no answer
 */
export async function loadHeat(
  services: QueryServices,
  { projectId, start, end, stepMs, scope }: Omit<QueryRequest, "queries" | "formulas">,
  { metric, kind, unit, filter }: MetricQuery,
): Promise<Heat> {
  const request = { projectId, start, end, stepMs, scope, metric, kind, unit, filter };
  const found = await runHeatmap(services, request);
  return {
    title: filter.length === 0 ? metric : `${metric}, ${formatFilter(filter)}`,
    ucum: found.unit,
    times: found.times,
    stepMs: found.stepMs,
    rows: found.rows.map(({ from, to }, row) => ({
      from,
      to,
      counts: found.columns.map((column) => column?.[row] ?? 0),
    })),
    notes: found.damaged === 0
      ? []
      : [`${formatExactOf(found.damaged, "stored blocks")} could not be read and are left out.`],
  };
}
