import type { Sql } from "../store/database.ts";
import {
  DAY_MS,
  dayOf,
  floorTo,
  HOUR_MS,
  inScope,
  periods,
  type QueryScope,
} from "../store/scope_filter.ts";

/** Counts of consecutive buckets of equal length. */
export interface Occurrences {
  /** Start of the first bucket, a multiple of the bucket's length from the epoch. */
  readonly start: Date;
  readonly counts: number[];
}

export interface OccurrencesQuery extends QueryScope {
  /** Seconds of a bucket. */
  readonly bucketSec: number;
}

/** More bars than a chart has pixels for. */
const MAX_BUCKETS = 2_000;
const SPARKLINE_HOURS = 24;

/**
 * How often an issue, or with null anything in the project, happened in each bucket of a range. The first and last
 * bucket count in full. Buckets of whole days and hours add up tallies; shorter ones count events, which only the
 * occurrences of one issue can ask for.
 *
 * @throws {RangeError} for more than 2,000 buckets, or for a whole project in buckets of less than an hour
 */
export async function occurrences(
  sql: Sql,
  projectId: string,
  issueId: string | null,
  query: OccurrencesQuery,
): Promise<Occurrences> {
  const bucketMs = query.bucketSec * 1000;
  const start = floorTo(bucketMs, query.start);
  const buckets = Math.max(1, Math.ceil((query.end.getTime() - start.getTime()) / bucketMs));
  if (buckets > MAX_BUCKETS) throw new RangeError(`Cannot count ${buckets} buckets: too many`);
  const range = { ...query, start, end: new Date(start.getTime() + buckets * bucketMs) };
  const rows = bucketMs % DAY_MS === 0 && issueId !== null
    ? await countDays(sql, projectId, issueId, range)
    : bucketMs % HOUR_MS === 0
    ? await countHours(sql, projectId, issueId, range)
    : await countEvents(sql, projectId, issueId, range);
  const counts = new Array<number>(buckets).fill(0);
  for (const { at, count } of rows) {
    const index = Math.floor((at.getTime() - start.getTime()) / bucketMs);
    counts[index] = (counts[index] ?? 0) + Number(count);
  }
  return { start, counts };
}

interface TalliedRow {
  readonly at: Date;
  readonly count: string;
}

/** Each day is looked up by itself: the index leads with time, and a range would read all issues' rows. */
function countDays(
  sql: Sql,
  projectId: string,
  issueId: string,
  range: OccurrencesQuery,
): Promise<TalliedRow[]> {
  return sql<TalliedRow[]>`
    select day::timestamp at time zone 'UTC' as at, sum(times_seen) as count
    from unnest(${periods(range, DAY_MS).map(dayOf)}::date[]) as days (day)
    join issue_days using (day)
    where project_id = ${projectId} and issue_id = ${issueId}
    ${inScope(sql, range)}
    group by day
  `;
}

function countHours(
  sql: Sql,
  projectId: string,
  issueId: string | null,
  range: OccurrencesQuery,
): Promise<TalliedRow[]> {
  if (issueId === null) {
    return sql<TalliedRow[]>`
      select hour as at, sum(times_seen) as count from project_hours
      where project_id = ${projectId} and hour >= ${range.start} and hour < ${range.end}
      ${inScope(sql, range)}
      group by hour
    `;
  }
  const hours = periods(range, HOUR_MS).map((hour) => hour.toISOString());
  return sql<TalliedRow[]>`
    select hour as at, sum(times_seen) as count
    from unnest(${hours}::text[]::timestamptz[]) as hours (hour)
    join issue_hours using (hour)
    where project_id = ${projectId} and issue_id = ${issueId}
    ${inScope(sql, range)}
    group by hour
  `;
}

function countEvents(
  sql: Sql,
  projectId: string,
  issueId: string | null,
  range: OccurrencesQuery,
): Promise<TalliedRow[]> {
  if (issueId === null) {
    throw new RangeError("Cannot count a project's events in buckets of less than an hour");
  }
  return sql<TalliedRow[]>`
    select date_bin(${`${range.bucketSec} seconds`}::interval, "timestamp", ${range.start}) as at,
      count(*) as count
    from events
    where project_id = ${projectId} and issue_id = ${issueId}
      and "timestamp" >= ${range.start} and "timestamp" < ${range.end}
    ${inScope(sql, range)}
    group by 1
  `;
}

/** The hours that a sparkline shows: the current one and the 23 before it. */
export function sparklineStart(now: Date): Date {
  return new Date(floorTo(HOUR_MS, now).getTime() - (SPARKLINE_HOURS - 1) * HOUR_MS);
}

/**
 * Events of the last 24 hours, hour by hour and oldest first, of each project.
 *
 * @returns by project id; every id asked for is there
 */
export async function projectSparklines(
  sql: Sql,
  projectIds: readonly string[],
  now: Date = new Date(),
): Promise<Map<string, number[]>> {
  const start = sparklineStart(now);
  const rows = await sql<{ projectId: string; at: Date; count: string }[]>`
    select project_id as "projectId", hour as at, sum(times_seen) as count
    from project_hours
    where project_id = any (${[...projectIds]}::bigint[]) and hour >= ${start}
    group by project_id, hour
  `;
  return sparklines(projectIds, start, rows.map((row) => ({ ...row, id: row.projectId })));
}

/** Sorts hourly counts into one row of 24 for each id. */
export function sparklines(
  ids: readonly string[],
  start: Date,
  rows: readonly { readonly id: string; readonly at: Date; readonly count: string }[],
): Map<string, number[]> {
  const lines = new Map(ids.map((id) => [id, new Array<number>(SPARKLINE_HOURS).fill(0)]));
  for (const { id, at, count } of rows) {
    const index = Math.floor((at.getTime() - start.getTime()) / HOUR_MS);
    const line = lines.get(id);
    if (line !== undefined && index < SPARKLINE_HOURS) line[index] = Number(count);
  }
  return lines;
}

/** When a project's first event happened and the issue it belongs to; null before the first. */
export async function firstEvent(
  sql: Sql,
  projectId: string,
): Promise<{ issueId: string; timestamp: Date } | null> {
  const [row] = await sql<{ issueId: string; timestamp: Date }[]>`
    select id as "issueId", first_seen as "timestamp" from issues
    where project_id = ${projectId}
    order by first_seen, id
    limit 1
  `;
  return row ?? null;
}
