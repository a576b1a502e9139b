import type postgres from "postgres";
import type { Queryable, Sql } from "../store/database.ts";
import { sparklines, sparklineStart } from "./occurrences.ts";
import {
  ceilTo,
  DAY_MS,
  dayOf,
  floorTo,
  HOUR_MS,
  inScope,
  periods,
  type QueryScope,
} from "../store/scope_filter.ts";

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
  const { edges, days } = split(scope);
  const hours = ({ start, end }: Range) =>
    sql`
      select issue_id, times_seen from issue_hours
      where project_id = ${projectId} and hour >= ${start} and hour < ${end} ${inScope(sql, scope)}
    `;
  const [first, last] = edges;
  if (last === undefined) return hours(first);
  return sql`
    select issue_id, times_seen from issue_days
    where project_id = ${projectId} and day >= ${dayOf(days.start)}::date
      and day < ${dayOf(days.end)}::date ${inScope(sql, scope)}
    union all ${hours(first)}
    union all ${hours(last)}
  `;
}

/**
 * The same for a few issues. Each day and hour is looked up by itself: the index leads with time, and a range would
 * read the rows of all issues.
 */
function talliesOfIssues(
  sql: Queryable,
  projectId: string,
  issueIds: readonly string[],
  scope: QueryScope,
): postgres.Fragment {
  const { edges, days } = split(scope);
  const hours = edges.flatMap((edge) => periods(edge, HOUR_MS)).map((hour) => hour.toISOString());
  return sql`
    select issue_id, times_seen from issue_days
    where project_id = ${projectId} and day = any (${periods(days, DAY_MS).map(dayOf)}::date[])
      and issue_id = any (${[...issueIds]}::bigint[]) ${inScope(sql, scope)}
    union all
    select issue_id, times_seen from issue_hours
    where project_id = ${projectId} and hour = any (${hours}::text[]::timestamptz[])
      and issue_id = any (${[...issueIds]}::bigint[]) ${inScope(sql, scope)}
  `;
}

interface Range {
  readonly start: Date;
  readonly end: Date;
}

/** The whole days of a range, and the hours before and after them; or all its hours, when it has no whole day. */
function split(scope: QueryScope): { days: Range; edges: [Range] | [Range, Range] } {
  const start = floorTo(HOUR_MS, scope.start);
  const end = ceilTo(HOUR_MS, scope.end);
  const firstDay = ceilTo(DAY_MS, start);
  const lastDay = floorTo(DAY_MS, end);
  if (firstDay >= lastDay) return { days: { start, end: start }, edges: [{ start, end }] };
  return {
    days: { start: firstDay, end: lastDay },
    edges: [{ start, end: firstDay }, { start: lastDay, end }],
  };
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
    isShort
      ? eventsInScope(sql, projectId, issueIds, scope)
      : talliesOfIssues(sql, projectId, issueIds, scope)
  }) as tallies
    group by issue_id
  `;
  return new Map(rows.map(({ issueId, count }) => [issueId, Number(count)]));
}

function eventsInScope(
  sql: Sql,
  projectId: string,
  issueIds: readonly string[],
  scope: QueryScope,
): postgres.Fragment {
  return sql`
    select issue_id, 1 as times_seen from events
    where project_id = ${projectId} and issue_id = any (${[...issueIds]}::bigint[])
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
  const hours = periods({ start, end: now }, HOUR_MS).map((hour) => hour.toISOString());
  const rows = await sql<{ id: string; at: Date; count: string }[]>`
    select issue_id as id, hour as at, sum(times_seen) as count
    from issue_hours
    where project_id = ${projectId} and hour = any (${hours}::text[]::timestamptz[])
      and issue_id = any (${[...issueIds]}::bigint[])
    ${inScope(sql, scope)}
    group by issue_id, hour
  `;
  return sparklines(issueIds, start, rows);
}
