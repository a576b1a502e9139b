import type postgres from "postgres";
import { HOUR_MS } from "../core/time.ts";
import type { Queryable, Sql } from "../store/database.ts";
import { floorTo, inScope, withinTime } from "../store/query_limits.ts";
import { type IssueSelection, matching } from "./issue_conditions.ts";
import { bucketed, inBuckets, type Occurrences, type OccurrencesQuery } from "./issue_counts.ts";
import type { IssueFilter, IssueStatus } from "./issue_search.ts";

export interface ErrorCountsQuery extends OccurrencesQuery {
  readonly projectId: string;
  /** Of the issues that errors belong to; null for all errors. */
  readonly filter: IssueFilter | null;
  readonly statuses?: readonly IssueStatus[] | undefined;
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
  const range = inBuckets(query);
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
