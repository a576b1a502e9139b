import type { Queryable, Sql } from "../store/database.ts";
import { DAY_MS, HOUR_MS } from "../core/time.ts";
import { dayOf, inScope, periods } from "../store/query_limits.ts";
import { bucketed, inBuckets, type Occurrences, type OccurrencesQuery } from "./issue_counts.ts";

/**
 * How often each of a few issues happened in each hour or day of a range. The first and last bucket count in full.
 *
 * @param query with buckets of an hour or a day
 * @returns by issue id; every id asked for is there
 * @throws {RangeError} for more than 2,000 buckets
 */
export async function issueSeries(
  sql: Sql,
  projectId: string,
  issueIds: readonly string[],
  query: OccurrencesQuery,
): Promise<Map<string, Occurrences>> {
  const range = inBuckets(query);
  const rows = await talliesOf(sql, projectId, issueIds, range);
  const byIssue = Map.groupBy(rows, ({ id }) => id);
  return new Map(issueIds.map((id) => [id, bucketed(range, byIssue.get(id) ?? [])]));
}

interface TallyOfIssue {
  readonly id: string;
  readonly at: Date;
  readonly count: string;
}

/** Each day and hour is looked up by itself, as the index leads with time. */
function talliesOf(
  sql: Queryable,
  projectId: string,
  issueIds: readonly string[],
  range: OccurrencesQuery,
): PromiseLike<TallyOfIssue[]> {
  const ofIssues = sql`
    project_id = ${projectId} and issue_id = any (${[...issueIds]}::bigint[])
      ${inScope(sql, range)}
  `;
  if (range.bucketSec * 1000 === DAY_MS) {
    return sql<TallyOfIssue[]>`
      select issue_id as id, day::timestamp at time zone 'UTC' as at, sum(times_seen) as count
      from issue_days
      where day = any (${periods(range, DAY_MS).map(dayOf)}::date[]) and ${ofIssues}
      group by issue_id, day
    `;
  }
  const hours = periods(range, HOUR_MS).map((hour) => hour.toISOString());
  return sql<TallyOfIssue[]>`
    select issue_id as id, hour as at, sum(times_seen) as count
    from issue_hours
    where hour = any (${hours}::text[]::timestamptz[]) and ${ofIssues}
    group by issue_id, hour
  `;
}
