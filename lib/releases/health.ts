import { DAY_MS } from "../core/time.ts";
import type { Sql } from "../store/database.ts";
import { dayOf, inScope, type QueryScope } from "../store/query_limits.ts";

/** How a release does. */
export interface ReleaseHealth {
  readonly release: string;
  readonly sessions: number;
  readonly crashedSessions: number;
  readonly erroredSessions: number;
  readonly users: number;
  readonly crashedUsers: number;
  readonly firstSeen: Date;
  readonly lastSeen: Date;
  /** Error events in the range. */
  readonly errors: number;
  /** Issues that this release was the first to have. */
  readonly newIssues: number;
}

const MAX_RELEASES = 200;

/**
 * The releases that had sessions or errors in the scope, the newest first. A crash is what an SDK calls one, for
 * sessions and for users: an error that nobody handled ends a session as `unhandled` where the program goes on.
 */
export async function releaseHealth(
  sql: Sql,
  projectId: string,
  scope: QueryScope,
): Promise<ReleaseHealth[]> {
  const { start, end } = scope;
  const named = sql`and release <> '' ${inScope(sql, scope)}`;
  const rows = await sql<Record<keyof ReleaseHealth, string>[]>`
    with by_sessions as (
      select release, sum(total) as sessions, sum(crashed) as crashed,
        sum(errored) as errored, min(hour) as first, max(coalesce(last_seen, hour)) as last
      from session_hours
      where project_id = ${projectId} and hour >= ${start} and hour < ${end} ${named}
      group by release
    ),
    by_users as (
      select release, count(distinct user_hash) as users,
        count(distinct user_hash) filter (where is_crashed) as crashed
      from session_users
      where project_id = ${projectId} and day >= ${dayOf(start)}::date
        and day <= ${dayOf(new Date(end.getTime() - 1))}::date ${named}
      group by release
    ),
    by_errors as (
      select release, sum(times_seen) as errors, min(hour) as first, max(coalesce(last_seen, hour)) as last
      from project_hours
      where project_id = ${projectId} and hour >= ${start} and hour < ${end} ${named}
      group by release
    )
    select
      release,
      coalesce(sessions, 0) as sessions,
      coalesce(by_sessions.crashed, 0) as "crashedSessions",
      coalesce(errored, 0) as "erroredSessions",
      coalesce(users, 0) as users,
      coalesce(by_users.crashed, 0) as "crashedUsers",
      least(by_sessions.first, by_errors.first)::text as "firstSeen",
      greatest(by_sessions.last, by_errors.last)::text as "lastSeen",
      coalesce(errors, 0) as errors,
      (
        select count(*) from issues
        where issues.project_id = ${projectId} and issues.first_release = release
          and issues.merged_into is null
          and issues.last_seen_on >= ${dayOf(new Date(start.getTime() - DAY_MS))}::date
      ) as "newIssues"
    from by_sessions
    full join by_errors using (release)
    left join by_users using (release)
    order by greatest(by_sessions.last, by_errors.last) desc, release
    limit ${MAX_RELEASES}
  `;
  return rows.map((row) => ({
    release: row.release,
    sessions: Number(row.sessions),
    crashedSessions: Number(row.crashedSessions),
    erroredSessions: Number(row.erroredSessions),
    users: Number(row.users),
    crashedUsers: Number(row.crashedUsers),
    firstSeen: new Date(row.firstSeen),
    lastSeen: new Date(row.lastSeen),
    errors: Number(row.errors),
    newIssues: Number(row.newIssues),
  }));
}

/** Sessions by hour over the whole range, all releases of the scope together. */
export async function sessionsByHour(
  sql: Sql,
  projectId: string,
  scope: QueryScope,
  bucketSec: number,
): Promise<number[]> {
  const { start, end } = scope;
  const rows = await sql<{ bucket: number; total: string }[]>`
    select floor(extract(epoch from hour - ${start}::timestamptz) / ${bucketSec})::int as bucket,
      sum(total) as total
    from session_hours
    where project_id = ${projectId} and hour >= ${start} and hour < ${end}
      ${inScope(sql, scope)}
    group by 1
  `;
  const size = Math.ceil((end.getTime() - start.getTime()) / 1000 / bucketSec);
  const counts = new Array<number>(size).fill(0);
  for (const { bucket, total } of rows) {
    if (bucket >= 0 && bucket < size) counts[bucket] = Number(total);
  }
  return counts;
}
