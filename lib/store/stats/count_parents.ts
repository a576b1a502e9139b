import type { Sql } from "../database.ts";
import { foldForReading } from "./fold_stats.ts";
import { DAY_MS, HOUR_MS } from "./periods.ts";
import { narrowest, ofSeries, type StatsSelection } from "./selection.ts";
import { SERIES_KINDS } from "./series.ts";

/** How many transactions by name have spans of a group. */
export interface ParentCount {
  readonly category: string;
  readonly name: string;
  readonly parents: number;
}

/**
 * Counts the names of transactions that called what is selected of the kind `caller`; spans that came without their
 * transaction have none. Series say on which day they were last seen, so that nearly no counts are read; hence only
 * for a stretch that ends now: of an earlier one they do not know.
 *
 * @param selection its end is not before now
 */
export async function countParents(sql: Sql, selection: StatsSelection): Promise<ParentCount[]> {
  const narrow = narrowest(selection, ["category", "name", "parent"]);
  const from = new Date(Math.floor(narrow.start.getTime() / HOUR_MS) * HOUR_MS);
  const day = Math.floor(from.getTime() / DAY_MS) * DAY_MS;
  const firstDay = new Date(day).toISOString().slice(0, 10);
  await foldForReading(sql);
  // What was last seen on the first day was perhaps seen too early: only its hours tell.
  return await sql<ParentCount[]>`
    select category, name, count(distinct parent)::int as parents
    from stat_series as series
    where series.project_id = ${narrow.projectId} and ${ofSeries(sql, narrow)} and parent <> ''
      and (
        seen_on > ${firstDay}::text::date
        or seen_on = ${firstDay}::text::date and exists (
          select 1 from stat_hours as counted
          where counted.project_id = ${narrow.projectId} and counted.series_id = series.series_id
            and counted.kind = ${SERIES_KINDS[narrow.kind]}
            and counted."timestamp" >= ${from} and counted."timestamp" < ${new Date(day + DAY_MS)}
        )
      )
    group by 1, 2
  `;
}
