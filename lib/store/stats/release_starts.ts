import type { Sql } from "../database.ts";
import { SERIES_KINDS } from "./series.ts";

/** When a release was first seen within a stretch of time, to the hour. */
export interface ReleaseStart {
  readonly release: string;
  readonly at: Date;
}

/** More lines than a chart can show apart. */
const MAX_STARTS = 20;

/** The releases whose first transactions came within a stretch of time, the newest first. */
export async function releaseStarts(
  sql: Sql,
  projectId: string,
  { start, end }: { readonly start: Date; readonly end: Date },
): Promise<ReleaseStart[]> {
  // Days tell which releases are new; hours, of those alone, when they began.
  return await sql<ReleaseStart[]>`
    with fresh as (
      select release, array_agg(distinct series.series_id) as series_ids, min("timestamp") as day
      from stat_days as counted
      join stat_series as series
        on series.project_id = ${projectId} and series.series_id = counted.series_id
      where counted.project_id = ${projectId} and counted.kind = ${SERIES_KINDS.total} and release <> ''
      group by release
      having min("timestamp") >= date_trunc('day', ${start}::timestamptz, 'UTC')
        and min("timestamp") < ${end}
      order by day desc
      limit ${MAX_STARTS}
    )
    select release, min(hours."timestamp") as at
    from fresh
    join stat_hours as hours on hours.project_id = ${projectId}
      and hours.kind = ${SERIES_KINDS.total} and hours.series_id = any (series_ids)
      and hours."timestamp" >= day and hours."timestamp" < day + interval '1 day'
    group by release
    having min(hours."timestamp") > ${start} and min(hours."timestamp") < ${end}
    order by 2 desc
  `;
}
