import type postgres from "postgres";
import { DAY_MS, HOUR_MS } from "../core/time.ts";
import type { Queryable, Sql } from "../store/database.ts";
import {
  ceilTo,
  dayOf,
  floorTo,
  inScope,
  periods,
  type QueryScope,
  withinTime,
} from "../store/query_limits.ts";
import { type IssueSelection, matching } from "./search/conditions.ts";
import type { Searcher } from "./search/people.ts";
import { settle } from "./search/settle.ts";
import type { IssueFilter, IssueStatus } from "./search/terms.ts";

/** Below this, hours are too coarse and events are few enough to be counted one by one. */
const EXACT_RANGE_MS = 6 * HOUR_MS;

/**
 * Rows of `(issue_id, times_seen, at)` that add up to the occurrences in scope: whole days from the daily tallies, the
 * edges of the range from the hourly ones. The hours at both ends count in full. `at` is the hour or the noon of the day,
 * as days from the midnight (UTC) before the end of the range: numbers, since times cost three times as much here.
 */
export function talliesInScope(
  sql: Queryable,
  projectId: string,
  scope: QueryScope,
): postgres.Fragment {
  const { edges, days } = split(scope);
  const midnight = floorTo(DAY_MS, scope.end);
  const hours = ({ start, end }: Range) =>
    sql`
      select issue_id, times_seen,
        date_part('epoch', hour - ${midnight}::timestamptz) / ${DAY_MS / 1000}::float8 as at
      from issue_hours
      where project_id = ${projectId} and hour >= ${start} and hour < ${end} ${inScope(sql, scope)}
    `;
  const [first, last] = edges;
  if (last === undefined) return hours(first);
  return sql`
    select issue_id, times_seen, (day - ${dayOf(midnight)}::date)::float8 + 0.5 as at
    from issue_days
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
 * How often an issue happened in each bucket of a range. The first and last bucket count in full. Buckets of whole days
 * and hours add up tallies; shorter ones count events.
 *
 * @throws {RangeError} for more than 2,000 buckets
 */
export async function occurrences(
  sql: Sql,
  projectId: string,
  issueId: string,
  query: OccurrencesQuery,
): Promise<Occurrences> {
  const range = inBuckets(query);
  return bucketed(range, await countIssue(sql, projectId, issueId, range));
}

/** The range from the beginning of its first bucket to the end of its last. @throws {RangeError} for more than 2,000 */
export function inBuckets<Query extends OccurrencesQuery>(query: Query): Query {
  const bucketMs = query.bucketSec * 1000;
  const start = floorTo(bucketMs, query.start);
  const buckets = Math.max(1, Math.ceil((query.end.getTime() - start.getTime()) / bucketMs));
  if (buckets > MAX_BUCKETS) throw new RangeError(`Cannot count ${buckets} buckets: too many`);
  return { ...query, start, end: new Date(start.getTime() + buckets * bucketMs) };
}

/** Adds up what was counted within a range that `inBuckets()` made. */
export function bucketed(
  { start, end, bucketSec }: OccurrencesQuery,
  rows: readonly TalliedRow[],
): Occurrences {
  const bucketMs = bucketSec * 1000;
  const counts = new Array<number>((end.getTime() - start.getTime()) / bucketMs).fill(0);
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

/** Each day and hour is looked up by itself: the index leads with time, and a range would read all issues' rows. */
function countIssue(
  sql: Sql,
  projectId: string,
  issueId: string,
  range: OccurrencesQuery,
): Promise<TalliedRow[]> {
  const bucketMs = range.bucketSec * 1000;
  const ofIssue = sql`project_id = ${projectId} and issue_id = ${issueId} ${inScope(sql, range)}`;
  if (bucketMs % DAY_MS === 0) {
    return sql<TalliedRow[]>`
      select day::timestamp at time zone 'UTC' as at, sum(times_seen) as count
      from unnest(${periods(range, DAY_MS).map(dayOf)}::date[]) as days (day)
      join issue_days using (day)
      where ${ofIssue}
      group by day
    `;
  }
  if (bucketMs % HOUR_MS === 0) {
    const hours = periods(range, HOUR_MS).map((hour) => hour.toISOString());
    return sql<TalliedRow[]>`
      select hour as at, sum(times_seen) as count
      from unnest(${hours}::text[]::timestamptz[]) as hours (hour)
      join issue_hours using (hour)
      where ${ofIssue}
      group by hour
    `;
  }
  return sql<TalliedRow[]>`
    select date_bin(${`${range.bucketSec} seconds`}::interval, "timestamp", ${range.start}) as at,
      count(*) as count
    from events
    where ${ofIssue} and "timestamp" >= ${range.start} and "timestamp" < ${range.end}
    group by 1
  `;
}

export interface ErrorCountsQuery extends OccurrencesQuery {
  readonly projectId: string;
  /** Of the issues that errors belong to; null for all errors. */
  readonly filter: IssueFilter | null;
  readonly statuses?: readonly IssueStatus[] | undefined;
  /** Who asks; without one, what a search says about people finds nothing. */
  readonly searcher?: Searcher | undefined;
}

/**
 * How many errors there were in each bucket of a range. The first and last bucket count in full. Buckets of whole
 * hours add up tallies; shorter ones count events.
 *
 * @param timeoutMs after which the query is given up
 * @throws {RangeError} for more than 2,000 buckets
 * @throws {QueryTooSlow}
 */
export async function errorCounts(
  sql: Sql,
  query: ErrorCountsQuery,
  timeoutMs: number,
): Promise<Occurrences> {
  const { projectId, searcher } = query;
  const filter = query.filter && await settle(sql, projectId, query.filter, searcher);
  const range = inBuckets({ ...query, filter });
  const isOfHours = query.bucketSec * 1000 % HOUR_MS === 0;
  const rows = await withinTime(
    sql,
    timeoutMs,
    (tx) =>
      tx<{ at: Date; count: string }[]>`
        select date_bin(${`${query.bucketSec} seconds`}::interval, at, ${range.start}) as at,
          sum(count) as count
        from (${isOfHours ? ofHours(tx, range) : ofEvents(tx, range)}) as counted
        group by 1
      `,
  );
  return bucketed(range, rows);
}

function ofHours(sql: Queryable, query: ErrorCountsQuery): postgres.Fragment {
  const { projectId, start, end, filter } = query;
  return sql`
    select hour as at, times_seen as count
    from ${filter === null ? sql`project_hours` : sql`issue_hours`}
    where project_id = ${projectId} and hour >= ${start} and hour < ${end}
      ${inScope(sql, query)} ${ofIssues(sql, query)}
  `;
}

/** Events are found by their issue: those that happened in these hours are looked up one by one. */
function ofEvents(sql: Queryable, query: ErrorCountsQuery): postgres.Fragment {
  const { projectId, start, end } = query;
  return sql`
    select events."timestamp" as at, 1 as count
    from (
      select distinct issue_id from issue_hours
      where project_id = ${projectId} and hour >= ${floorTo(HOUR_MS, start)} and hour < ${end}
        ${inScope(sql, query)} ${ofIssues(sql, query)}
    ) as seen
    join events on events.project_id = ${projectId} and events.issue_id = seen.issue_id
    where events."timestamp" >= ${start} and events."timestamp" < ${end} ${inScope(sql, query)}
  `;
}

function ofIssues(sql: Queryable, query: ErrorCountsQuery): postgres.Fragment {
  const { filter } = query;
  if (filter === null) return sql``;
  const selection: IssueSelection = { ...query, filter };
  return sql`
    and (issue_id in (select i.id from issues as i where ${matching(sql, selection)})) is true
  `;
}

/** The hours that a sparkline shows: the current one and the 23 before it. */
function sparklineStart(now: Date): Date {
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
function sparklines(
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
    where project_id = ${projectId} and merged_into is distinct from 0
    order by first_seen, id
    limit 1
  `;
  return row ?? null;
}
