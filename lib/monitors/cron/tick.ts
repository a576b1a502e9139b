/** What no check-in tells: runs that did not begin, and runs that did not end. */
import { MINUTE_MS } from "../../core/time.ts";
import type { Sql, Transaction } from "../../store/database.ts";
import { type MonitorConfig, storedConfig } from "./config.ts";
import { type Ended, judge, type Place } from "./judge.ts";
import { nextAfter } from "./schedule.ts";

/** Nobody looked for so long, four looks: the service was away, and so were the check-ins of this time. */
const AWAY_MS = 40_000;
/** What is found at once; the rest comes with the next look. */
const A_ROUND = 500;
/** Runs that one environment misses in one look; a schedule that is further behind goes on from now. */
const MAX_MISSED = 20;

/**
 * Finds the runs that should have begun or ended by now. Looking twice finds nothing twice.
 *
 * @param now by the clock of this machine
 * @param waitingSince tells when the oldest check-in may have come that is acknowledged and not applied yet, or null
 *   when none is: nothing later than that is judged. Asked only when something is due
 * @param stopping ends the work between two runs
 * @throws what `postgres` throws while it is away: the next look makes up for it
 */
export async function tick(
  sql: Sql,
  now: Date,
  waitingSince: () => Promise<Date | null>,
  stopping: AbortSignal,
): Promise<void> {
  const [clock] = await sql<{ aliveAt: Date }[]>`select alive_at as "aliveAt" from monitor_clock`;
  const aliveAt = clock?.aliveAt ?? now;
  const wasAway = now.getTime() - aliveAt.getTime() > AWAY_MS;
  if (wasAway || await isAnythingDue(sql, now)) {
    const waiting = await waitingSince();
    // What came while Postgres was away is applied first: it tells which runs were in time.
    if (wasAway && waiting !== null) return;
    if (wasAway) await doubtOpenRuns(sql, now);
    const until = waiting !== null && waiting < now ? waiting : now;
    await findMissed(sql, { until, now, awaySince: wasAway ? aliveAt : null }, stopping);
    await findTimedOut(sql, until, now, stopping);
  }
  if (stopping.aborted) return;
  await sql`
    insert into monitor_clock (alive_at) values (${now})
    on conflict (is_only) do update set alive_at = ${now}
  `;
}

async function isAnythingDue(sql: Sql, now: Date): Promise<boolean> {
  const [row] = await sql<{ isDue: boolean }[]>`
    select exists (select 1 from monitor_environments where latest_at <= ${now})
      or exists (select 1 from check_ins where status = 'in_progress' and timeout_at <= ${now}) as "isDue"
  `;
  return row?.isDue ?? false;
}

/** The end of a run that was open while we were away may be lost: when it does not come, nobody knows. */
async function doubtOpenRuns(sql: Sql, now: Date): Promise<void> {
  await sql`
    update check_ins set is_uncertain = true where status = 'in_progress' and started_at <= ${now}
  `;
}

interface Look {
  /** What is due by then is judged. */
  readonly until: Date;
  readonly now: Date;
  /** When somebody had last looked, when that is too long ago; else null. */
  readonly awaySince: Date | null;
}

interface Due {
  readonly projectId: string;
  readonly slug: string;
  readonly environment: string;
}

async function findMissed(sql: Sql, look: Look, stopping: AbortSignal): Promise<void> {
  // After we were away, also what is still in its margin: its check-in may have come in vain.
  const limit = look.awaySince === null
    ? sql`latest_at <= ${look.until}`
    : sql`latest_at is not null and next_at <= ${look.now}`;
  const due = await sql<Due[]>`
    select project_id as "projectId", slug, environment
    from monitor_environments join monitors using (project_id, slug)
    where ${limit} and monitors.status = 'active' and ${isAlive(sql)}
    order by latest_at limit ${A_ROUND}
  `;
  for (const each of due) {
    if (stopping.aborted) return;
    await sql.begin((tx) => missRuns(tx, each, look));
  }
}

/** Projects that were deleted wait for their end, or to be restored. */
function isAlive(sql: Sql) {
  return sql`not exists (select 1 from deleted_projects where id = project_id)`;
}

async function missRuns(tx: Transaction, due: Due, look: Look): Promise<void> {
  const config = await lockConfig(tx, due);
  if (config === null) return await expectNothing(tx, due);
  const place: Place = { ...due, config };
  const [state] = await tx<{ nextAt: Date | null; latestAt: Date | null }[]>`
    select next_at as "nextAt", latest_at as "latestAt" from monitor_environments
    where project_id = ${due.projectId} and slug = ${due.slug} and environment = ${due.environment}
  `;
  const marginMs = config.checkin_margin * MINUTE_MS;
  let nextAt = state?.nextAt ?? null;
  for (let missed = 0; nextAt !== null && isDue(nextAt, marginMs, look); missed++) {
    // Far behind, it goes on with the first time that is ahead.
    if (missed < MAX_MISSED) {
      const isOurFault = look.awaySince !== null &&
        nextAt.getTime() + marginMs > look.awaySince.getTime();
      await missRun(tx, place, nextAt, isOurFault, look.now);
    }
    nextAt = after(config, nextAt, missed < MAX_MISSED ? null : look.now);
  }
  const latestAt = nextAt && new Date(nextAt.getTime() + marginMs);
  await tx`
    update monitor_environments set next_at = ${nextAt}, latest_at = ${latestAt}
    where project_id = ${due.projectId} and slug = ${due.slug} and environment = ${due.environment}
  `;
}

/** Of a monitor that was switched off a moment ago, or whose schedule nobody can read any more. */
async function expectNothing(tx: Transaction, due: Due): Promise<void> {
  await tx`
    update monitor_environments set next_at = null, latest_at = null
    where project_id = ${due.projectId} and slug = ${due.slug} and environment = ${due.environment}
  `;
}

function isDue(nextAt: Date, marginMs: number, { until, now, awaySince }: Look): boolean {
  return awaySince === null ? nextAt.getTime() + marginMs <= until.getTime() : nextAt <= now;
}

/**
 * The time after an expected one, in step with it whenever it was found out.
 *
 * @param beyond when it must lie ahead of this; an interval keeps its step as far as it can be followed
 */
function after(config: MonitorConfig, expected: Date, beyond: Date | null): Date | null {
  if (beyond === null) return nextAfter(config, expected);
  if (config.schedule_type === "crontab") return nextAfter(config, beyond);
  let next: Date | null = expected;
  const most = 100_000;
  for (let step = 0; next !== null && next <= beyond && step < most; step++) {
    next = nextAfter(config, next);
  }
  return next !== null && next <= beyond ? nextAfter(config, beyond) : next;
}

/** Locks the monitor, as the writer does. @returns null when it was switched off or deleted in the meantime */
async function lockConfig(
  tx: Transaction,
  { projectId, slug }: Due,
): Promise<MonitorConfig | null> {
  const [row] = await tx<{ config: unknown }[]>`
    select config from monitors
    where project_id = ${projectId} and slug = ${slug} and status = 'active' for update
  `;
  return storedConfig(row?.config);
}

async function missRun(
  tx: Transaction,
  place: Place,
  expectedAt: Date,
  isOurFault: boolean,
  now: Date,
): Promise<void> {
  const { projectId, slug, environment, config } = place;
  const checkInId = crypto.randomUUID();
  const { count } = await tx`
    insert into check_ins (
      project_id, check_in_id, monitor_slug, environment, status, started_at, received_at,
      has_begun, expected_at, config, is_ours
    ) values (
      ${projectId}, ${checkInId}, ${slug}, ${environment}, ${isOurFault ? "unknown" : "missed"},
      ${expectedAt}, ${now}, false, ${expectedAt}, ${JSON.stringify(config)}::text::jsonb, true
    )
    on conflict do nothing
  `;
  if (count === 0 || isOurFault) return;
  await judge(tx, place, { checkInId, status: "missed", startedAt: expectedAt }, now);
}

interface Late extends Due {
  readonly checkInId: string;
}

async function findTimedOut(
  sql: Sql,
  until: Date,
  now: Date,
  stopping: AbortSignal,
): Promise<void> {
  const late = await sql<Late[]>`
    select project_id as "projectId", monitor_slug as slug, environment,
      check_in_id as "checkInId"
    from check_ins
    where status = 'in_progress' and timeout_at <= ${until} and ${isAlive(sql)}
    order by timeout_at limit ${A_ROUND}
  `;
  for (const each of late) {
    if (stopping.aborted) return;
    await sql.begin((tx) => timeOut(tx, each, until, now));
  }
}

async function timeOut(tx: Transaction, late: Late, until: Date, now: Date): Promise<void> {
  const { projectId, slug, environment, checkInId } = late;
  const config = await lockConfig(tx, late);
  const [run] = await tx<{ status: string; startedAt: Date; isSuperseded: boolean }[]>`
    update check_ins late
    set status = case when is_uncertain then 'unknown' else 'timeout' end
    where project_id = ${projectId} and check_in_id = ${checkInId} and status = 'in_progress'
      and timeout_at <= ${until}
    returning status, started_at as "startedAt", exists (
      select 1 from check_ins newer
      where newer.project_id = ${projectId} and newer.monitor_slug = ${slug}
        and newer.environment = ${environment} and newer.started_at > late.started_at
        and newer.status in ('ok', 'error')
    ) as "isSuperseded"
  `;
  // What is switched off tells nobody, and a newer run tells more than this one.
  if (run === undefined || run.status !== "timeout" || run.isSuperseded || config === null) return;
  const ended: Ended = { checkInId, status: "timeout", startedAt: run.startedAt };
  await judge(tx, { projectId, slug, environment, config }, ended, now);
}
