import type { Sql } from "../../store/database.ts";
import { releaseFirsts } from "../release_firsts.ts";
import type { ChartMarker } from "../../ui/charts/mod.ts";
import type { Tracing } from "../../releases/load_tracing.ts";
import type { QueryForm } from "../query_form/load_query_form.ts";

/** The releases that began in the time of the page: by their transactions, else by the metrics that are asked for. */
export async function releaseMarkers(
  sql: Sql,
  { project, interval, markers }: Tracing,
  { queries, known }: QueryForm,
): Promise<readonly ChartMarker[]> {
  if (markers.length > 0) return markers;
  const metricIds = queries.flatMap(({ metric }) =>
    (known[metric] ?? []).map(({ metricId }) => metricId)
  );
  const starts = await releaseFirsts(sql, project.id, metricIds, interval);
  return starts.map(({ release, at }) => ({ at: at.getTime(), label: release }));
}
