import type postgres from "postgres";
import { HOUR_MS } from "../core/time.ts";
import type { Queryable, Sql } from "../store/database.ts";
import { floorTo, inScope, type QueryScope, withinTime } from "../store/query_limits.ts";
import { type IssueSelection, matching } from "./issue_conditions.ts";
import type { IssueFilter, IssueStatus } from "./issue_search.ts";

export interface ErrorCountsQuery extends QueryScope {
  readonly projectId: string;
  readonly bucketSec: number;
  /** Of the issues that errors belong to; null for all errors. */
  readonly filter: IssueFilter | null;
  readonly statuses?: readonly IssueStatus[] | undefined;
}

/** Counts of consecutive buckets of equal length. */
export interface ErrorCounts {
  /** Start of the first bucket, a multiple of the bucket's length from the epoch. */
  readonly start: Date;
  readonly counts: readonly number[];
}

/** More bars than a chart has pixels for. */
const MAX_BUCKETS = 2_000;

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
): Promise<ErrorCounts> {
  const bucketMs = query.bucketSec * 1000;
  const start = floorTo(bucketMs, query.start);
  const buckets = Math.max(1, Math.ceil((query.end.getTime() - start.getTime()) / bucketMs));
  if (buckets > MAX_BUCKETS) throw new RangeError(`Cannot count ${buckets} buckets: too many`);
  const range = { ...query, start, end: new Date(start.getTime() + buckets * bucketMs) };
  const rows = await withinTime(
    sql,
    timeoutMs,
    (tx) =>
      tx<{ at: Date; count: string }[]>`
        select date_bin(${`${query.bucketSec} seconds`}::interval, at, ${start}) as at,
          sum(count) as count
        from (${bucketMs % HOUR_MS === 0 ? ofHours(tx, range) : ofEvents(tx, range)}) as counted
        group by 1
      `,
  );
  const counts = new Array<number>(buckets).fill(0);
  for (const { at, count } of rows) {
    const index = Math.floor((at.getTime() - start.getTime()) / bucketMs);
    counts[index] = (counts[index] ?? 0) + Number(count);
  }
  return { start, counts };
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
