/** Runs and incidents of monitors, as pages and the API read them. */
import { DAY_MS, MINUTE_MS } from "../../core/time.ts";
import type { Sql } from "../../store/database.ts";
import { storable } from "../../core/errors.ts";
import { type CursorPage, cutPage, isIsoTime, readCursor } from "../../store/query_limits.ts";
import { type MonitorConfig, storedConfig } from "./config.ts";
import type { Run } from "./save_run.ts";

export type RunStatus = Run["status"];

export interface StoredRun {
  /** 32 lower-case hex digits. */
  readonly checkInId: string;
  readonly environment: string;
  readonly release: string;
  readonly status: RunStatus;
  readonly startedAt: Date;
  readonly finishedAt: Date | null;
  readonly durationMs: number | null;
  /** When it was expected by the schedule of then, or null. */
  readonly expectedAt: Date | null;
  readonly traceId: string | null;
  /** Whether the job said anything. */
  readonly hasLog: boolean;
  /** As it was then. */
  readonly config: MonitorConfig | null;
  /** The expected time that was missed right before it began: it is this run that came late. */
  readonly missedAt: Date | null;
  /** Whether another run of the environment was still going on when it began. */
  readonly isOverlapping: boolean;
}

interface RunChoice {
  readonly projectId: string;
  readonly slug: string;
  /** Empty: all. */
  readonly environments: readonly string[];
  readonly since: Date;
  readonly cursor: string | null;
  readonly limit: number;
}

const HEX = /^[0-9a-f]{32}$/;

/** The runs of a monitor, the newest first. */
export async function listRuns(sql: Sql, choice: RunChoice): Promise<CursorPage<StoredRun>> {
  const { projectId, slug, environments, since, limit } = choice;
  const cursor = readCursor(choice.cursor, (value, id) => isIsoTime(value) && HEX.test(id));
  const isBack = cursor?.direction === "previous";
  const beyond = cursor === null
    ? sql``
    : isBack
    ? sql`and (run.started_at, check_in_id) > (${cursor.value}::timestamptz, ${cursor.id}::uuid)`
    : sql`and (run.started_at, check_in_id) < (${cursor.value}::timestamptz, ${cursor.id}::uuid)`;
  const rows = await sql<(Omit<StoredRun, "config"> & { config: unknown })[]>`
    select replace(check_in_id::text, '-', '') as "checkInId", environment, release, run.status,
      run.started_at as "startedAt", finished_at as "finishedAt", duration_sec * 1000 as "durationMs",
      run.expected_at as "expectedAt",
      case when prior.is_missed and not run.is_ours then prior.expected_at end as "missedAt",
      replace(trace_id::text, '-', '') as "traceId", log is not null as "hasLog", config,
      not run.is_ours and exists (
        select 1 from check_ins other
        where other.project_id = ${projectId} and other.monitor_slug = ${slug}
          and other.environment = run.environment and other.check_in_id <> run.check_in_id
          and not other.is_ours and other.started_at < run.started_at
          and other.started_at > run.started_at - interval '1 day'
          and coalesce(other.finished_at, other.timeout_at, other.started_at) > run.started_at
      ) as "isOverlapping"
    from check_ins run
    left join lateral (
      select before.expected_at, before.is_ours and before.status = 'missed' as is_missed
      from check_ins before
      where before.project_id = ${projectId} and before.monitor_slug = ${slug}
        and before.environment = run.environment and before.started_at < run.started_at
      order by before.started_at desc limit 1
    ) as prior on true
    where project_id = ${projectId} and monitor_slug = ${slug} and run.started_at >= ${since}
      ${
    environments.length === 0
      ? sql``
      : sql`and environment = any (${environments.map(storable)}::text[])`
  }
      ${beyond}
    order by run.started_at ${isBack ? sql`asc` : sql`desc`}, check_in_id ${
    isBack ? sql`asc` : sql`desc`
  }
    limit ${limit + 1}
  `;
  const runs = rows.map((row) => ({ ...row, config: storedConfig(row.config) }));
  return cutPage(runs, limit, cursor, ({ startedAt, checkInId }) => ({
    value: startedAt.toISOString(),
    id: checkInId,
  }));
}

/**
 * What the job said of a run, at most its last 10 KB; null when there is none.
 *
 * @param checkInId 32 lower-case hex digits; anything else has none
 */
export async function logOfRun(
  sql: Sql,
  projectId: string,
  slug: string,
  checkInId: string,
): Promise<{ readonly log: string; readonly startedAt: Date } | null> {
  if (!HEX.test(checkInId)) return null;
  const [row] = await sql<{ log: string | null; startedAt: Date }[]>`
    select log, started_at as "startedAt" from check_ins
    where project_id = ${projectId} and monitor_slug = ${slug} and check_in_id = ${checkInId}
  `;
  return row?.log ? { log: row.log, startedAt: row.startedAt } : null;
}

/** The expected time that a run began too late for; null when it was in time. */
export function lateFor(run: StoredRun): Date | null {
  if (run.missedAt !== null) return run.missedAt;
  const { status, startedAt, expectedAt, config } = run;
  if (expectedAt === null || config === null || status === "missed") return null;
  const latest = expectedAt.getTime() + config.checkin_margin * MINUTE_MS;
  return startedAt.getTime() > latest ? expectedAt : null;
}

/** A run as a bar of a timeline. */
export interface Bar {
  readonly status: RunStatus;
  readonly startedAt: Date;
  readonly durationMs: number | null;
}

/** Of a timeline, the newest at the right. */
export const BARS = 30;
const BAR_DAYS = 90;

/**
 * The last runs of monitors by environment, the oldest first.
 *
 * @returns by `<project>/<slug>/<environment>`
 */
export async function timelines(
  sql: Sql,
  places: readonly { projectId: string; slug: string; environment: string }[],
  now: Date,
): Promise<ReadonlyMap<string, Bar[]>> {
  const projects = [...Map.groupBy(places, ({ projectId }) => projectId)];
  const rows = await Promise.all(
    projects.map(([projectId, own]) => timelinesOf(sql, projectId, own, now)),
  );
  const found = new Map<string, Bar[]>();
  for (const { key, ...bar } of rows.flat()) found.set(key, [...found.get(key) ?? [], bar]);
  return found;
}

/** Of one project, which Citus wants for the limit of each. */
function timelinesOf(
  sql: Sql,
  projectId: string,
  places: readonly { slug: string; environment: string }[],
  now: Date,
) {
  return sql<(Bar & { key: string })[]>`
    select ${projectId}::text || '/' || slug || '/' || environment as key, run.status,
      run.started_at as "startedAt", run.duration_sec * 1000 as "durationMs"
    from unnest(
      ${places.map(({ slug }) => slug)}::text[],
      ${places.map(({ environment }) => environment)}::text[]
    ) as place (slug, environment)
    cross join lateral (
      select status, started_at, duration_sec from check_ins
      where project_id = ${projectId} and monitor_slug = place.slug
        and environment = place.environment
        and started_at > ${new Date(now.getTime() - BAR_DAYS * DAY_MS)}
      order by started_at desc limit ${BARS}
    ) as run
    order by run.started_at
  `;
}

export interface Incident {
  readonly incidentId: string;
  readonly environment: string;
  readonly startedAt: Date;
  readonly resolvedAt: Date | null;
  readonly failures: number;
  readonly issueId: string | null;
}

/** The incidents of a monitor, the newest first, so many at most. */
export async function listIncidents(
  sql: Sql,
  projectId: string,
  slug: string,
  since: Date,
  limit: number,
): Promise<Incident[]> {
  return await sql<Incident[]>`
    select incident_id as "incidentId", environment, started_at as "startedAt",
      resolved_at as "resolvedAt", failures, issue_id as "issueId"
    from monitor_incidents
    where project_id = ${projectId} and slug = ${slug}
      and (resolved_at is null or resolved_at >= ${since})
    order by started_at desc limit ${limit}
  `;
}

/**
 * How many errors there were in the traces of runs, without those that say that the run failed.
 *
 * @param runs of one monitor
 * @returns by trace id
 */
export async function errorsOfRuns(
  sql: Sql,
  projectId: string,
  slug: string,
  runs: readonly StoredRun[],
): Promise<ReadonlyMap<string, number>> {
  const traceIds = [...new Set(runs.flatMap(({ traceId }) => traceId ?? []))];
  const times = runs.map(({ startedAt }) => startedAt.getTime());
  if (traceIds.length === 0) return new Map();
  const rows = await sql<{ traceId: string; count: number }[]>`
    select replace(trace_id::text, '-', '') as "traceId", count(*)::int as count from events
    where project_id = ${projectId} and trace_id = any (${traceIds}::uuid[])
      and "timestamp" between ${new Date(Math.min(...times) - DAY_MS)}
        and ${new Date(Math.max(...times) + DAY_MS)}
      and issue_id not in (
        select issue_id from monitor_incidents
        where project_id = ${projectId} and slug = ${slug} and issue_id is not null
      )
    group by trace_id
  `;
  return new Map(rows.map(({ traceId, count }) => [traceId, count]));
}

/** The issues of errors in the traces of runs. @returns ids by trace id */
export async function issuesOfRuns(
  sql: Sql,
  projectId: string,
  runs: readonly StoredRun[],
): Promise<ReadonlyMap<string, readonly IssueOfRun[]>> {
  const traceIds = [...new Set(runs.flatMap(({ traceId }) => traceId ?? []))];
  const times = runs.map(({ startedAt }) => startedAt.getTime());
  if (traceIds.length === 0) return new Map();
  const rows = await sql<(IssueOfRun & { traceId: string })[]>`
    select distinct replace(trace_id::text, '-', '') as "traceId", issues.id, issues.number::float8 as number
    from events
    join issues on issues.project_id = events.project_id and issues.id = events.issue_id
    where events.project_id = ${projectId} and trace_id = any (${traceIds}::uuid[])
      and "timestamp" between ${new Date(Math.min(...times) - DAY_MS)}
        and ${new Date(Math.max(...times) + DAY_MS)}
    order by issues.id
  `;
  return Map.groupBy(rows, ({ traceId }) => traceId);
}

interface IssueOfRun {
  readonly id: string;
  readonly number: number;
}
