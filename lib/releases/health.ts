import { storable } from "../core/errors.ts";
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

/** More than a page of releases shows; of a list as a whole. */
export const MAX_RELEASES = 1_000;

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

/** What a release did in one step of time, and all releases with it. */
export interface HealthAt {
  readonly sessions: number;
  readonly crashedSessions: number;
  /** Of all releases. */
  readonly allSessions: number;
  readonly users: number;
  readonly crashedUsers: number;
}

const NOTHING: HealthAt = {
  sessions: 0,
  crashedSessions: 0,
  allSessions: 0,
  users: 0,
  crashedUsers: 0,
};

/**
 * How one release did along time. Users are known by the day: steps shorter than one have those of their day.
 *
 * @param times starts of the steps in ms, of whole hours
 */
export async function healthOverTime(
  sql: Sql,
  projectId: string,
  release: string,
  { start, end, environments }: Omit<QueryScope, "releases">,
  { times, stepMs }: { readonly times: readonly number[]; readonly stepMs: number },
): Promise<HealthAt[]> {
  const inEnvironments = inScope(sql, { environments, releases: [] });
  const name = storable(release);
  const step = `${stepMs} milliseconds`;
  const [sessions, users] = await Promise.all([
    sql<{ time: Date; own: string; crashed: string; total: string }[]>`
      select date_bin(${step}, hour, '1970-01-01T00:00:00Z') as time,
        sum(total) filter (where release = ${name}) as own,
        sum(crashed) filter (where release = ${name}) as crashed, sum(total) as total
      from session_hours
      where project_id = ${projectId} and hour >= ${start} and hour < ${end} ${inEnvironments}
      group by 1
    `,
    sql<{ day: Date; users: number; crashed: number }[]>`
      select day::timestamptz at time zone 'UTC' as day, count(distinct user_hash)::int as users,
        (count(distinct user_hash) filter (where is_crashed))::int as crashed
      from session_users
      where project_id = ${projectId} and release = ${name} and day >= ${dayOf(start)}::date
        and day <= ${dayOf(new Date(end.getTime() - 1))}::date ${inEnvironments}
      group by 1
    `,
  ]);
  const byTime = new Map(sessions.map((row) => [row.time.getTime(), row]));
  const byDay = new Map(users.map((row) => [dayOf(row.day), row]));
  return times.map((time) => {
    const row = byTime.get(time);
    const day = byDay.get(dayOf(new Date(time)));
    return {
      ...NOTHING,
      ...row && {
        sessions: Number(row.own),
        crashedSessions: Number(row.crashed),
        allSessions: Number(row.total),
      },
      ...day && { users: day.users, crashedUsers: day.crashed },
    };
  });
}

/** How many issues these releases were the first to have, by `<project>/<release>`. */
export async function newIssuesOf(
  sql: Sql,
  projectIds: readonly string[],
  versions: readonly string[],
): Promise<Map<string, number>> {
  const rows = await sql<{ projectId: string; version: string; count: number }[]>`
    select project_id as "projectId", first_release as version, count(*)::int as count from issues
    where project_id = any (${[...projectIds]}::bigint[]) and merged_into is null
      and first_release <> '' and first_release = any (${versions.map(storable)}::text[])
    group by 1, 2
  `;
  return new Map(rows.map(({ projectId, version, count }) => [`${projectId}/${version}`, count]));
}
