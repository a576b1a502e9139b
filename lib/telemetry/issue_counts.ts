import type postgres from "postgres";
import type { Queryable, Sql } from "./database.ts";
import { sparklines, sparklineStart } from "./occurrences.ts";
import {
  ceilTo,
  DAY_MS,
  dayOf,
  floorTo,
  HOUR_MS,
  inScope,
  type QueryScope,
} from "./scope_filter.ts";

/** Below this, hours are too coarse and events are few enough to be counted one by one. */
const EXACT_RANGE_MS = 6 * HOUR_MS;

/**
 * Rows of `(issue_id, times_seen)` that add up to the occurrences in scope: whole days from the daily tallies, the
 * edges of the range from the hourly ones. The hours at both ends count in full.
 */
export function talliesInScope(
  sql: Queryable,
  projectId: string,
  scope: QueryScope,
): postgres.Fragment {
  const start = floorTo(HOUR_MS, scope.start);
  const end = ceilTo(HOUR_MS, scope.end);
  const firstDay = ceilTo(DAY_MS, start);
  const lastDay = floorTo(DAY_MS, end);
  const hours = (from: Date, to: Date) =>
    sql`
      select issue_id, times_seen from issue_hours
      where project_id = ${projectId} and hour >= ${from} and hour < ${to} ${inScope(sql, scope)}
    `;
  if (firstDay >= lastDay) return hours(start, end);
  return sql`
    select issue_id, times_seen from issue_days
    where project_id = ${projectId} and day >= ${dayOf(firstDay)}::date and day < ${
    dayOf(lastDay)
  }::date
    ${inScope(sql, scope)}
    union all ${hours(start, firstDay)}
    union all ${hours(lastDay, end)}
  `;
}

/** Occurrences in scope of each of a few issues, by issue id. */
export async function countsInScope(
  sql: Sql,
  projectId: string,
  issueIds: readonly string[],
  scope: QueryScope,
): Promise<Map<string, number>> {
  const isShort = scope.end.getTime() - scope.start.getTime() < EXACT_RANGE_MS;
  const rows = await sql<{ issueId: string; count: string }[]>`
    select issue_id as "issueId", sum(times_seen) as count
    from (${
    isShort ? eventsInScope(sql, projectId, scope) : talliesInScope(sql, projectId, scope)
  }) as tallies
    where issue_id = any (${[...issueIds]}::bigint[])
    group by issue_id
  `;
  return new Map(rows.map(({ issueId, count }) => [issueId, Number(count)]));
}

function eventsInScope(sql: Sql, projectId: string, scope: QueryScope): postgres.Fragment {
  return sql`
    select issue_id, 1 as times_seen from events
    where project_id = ${projectId}
      and "timestamp" >= ${scope.start} and "timestamp" < ${scope.end} ${inScope(sql, scope)}
  `;
}

/** Events of the last 24 hours by hour, oldest first, of each of a few issues. */
export async function issueSparklines(
  sql: Sql,
  projectId: string,
  issueIds: readonly string[],
  scope: QueryScope,
  now: Date = new Date(),
): Promise<Map<string, number[]>> {
  const start = sparklineStart(now);
  const rows = await sql<{ id: string; at: Date; count: string }[]>`
    select issue_id as id, hour as at, sum(times_seen) as count
    from issue_hours
    where project_id = ${projectId} and hour >= ${start} and issue_id = any (${[
    ...issueIds,
  ]}::bigint[])
    ${inScope(sql, scope)}
    group by issue_id, hour
  `;
  return sparklines(issueIds, start, rows);
}
