import type { Sql } from "../store/database.ts";
import type { ReleaseStart } from "../store/stats/release_starts.ts";

/** More lines than a chart can show apart. */
const MAX_STARTS = 20;

/** The releases whose first series of some metrics came within a stretch of time, the newest first. */
export async function releaseFirsts(
  sql: Sql,
  projectId: string,
  metricIds: readonly string[],
  { start, end }: { readonly start: Date; readonly end: Date },
): Promise<ReleaseStart[]> {
  if (metricIds.length === 0) return [];
  return await sql<ReleaseStart[]>`
    select release, min(first_seen) as at
    from metric_series
    where project_id = ${projectId} and metric_id = any (${[...metricIds]}::bigint[])
      and release <> ''
    group by release
    having min(first_seen) > ${start} and min(first_seen) < ${end}
    order by 2 desc
    limit ${MAX_STARTS}
  `;
}
