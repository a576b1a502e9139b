import type { Logger } from "../../../log.ts";
import type { Sql } from "../../../telemetry/database.ts";
import { runHeatmap } from "../../../telemetry/metrics/query/heatmap.ts";
import type { QueryRequest } from "../../../telemetry/metrics/query_types.ts";
import { formatExactOf } from "../../format.ts";
import { formatFilter } from "../../../telemetry/metrics/filter_text.ts";
import type { QueryForm } from "../query_form/load_query_form.ts";
import { heatQueryOf } from "./heat_query.ts";
import type { Heat } from "./heat.ts";

/**
 * The spread of the first histogram that the form asks for; null when it asks for none.
 *
 * @throws {InvalidQuery} when it has no answer
 */
export async function loadHeat(
  services: { readonly sql: Sql; readonly log: Logger },
  { projectId, start, end, stepMs, scope }: QueryRequest,
  form: QueryForm,
): Promise<Heat | null> {
  const query = heatQueryOf(form);
  if (query === null) return null;
  const { metric, kind, unit, filter } = query;
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
