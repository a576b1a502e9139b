/** Check-ins as the writer applies them, one after the other for each monitor, in its transaction. */
import { MINUTE_MS } from "../../core/time.ts";
import type { CheckIn } from "../../records/mod.ts";
import { asObject, type Raw } from "../../formats/fields.ts";
import type { Transaction } from "../../store/database.ts";
import { nameOf } from "../../store/values.ts";
import { type MonitorConfig, readConfig, storedConfig } from "./config.ts";
import { type Ended, judge, type Place } from "./judge.ts";
import { type ErrorType, noteError } from "./processing_errors.ts";
import { expectAfter, expectAgain } from "./expected.ts";
import { appendLog, beginRun, endRun, findRun, type Run } from "./save_run.ts";

/** Of a project: more are names with ids or times in them. */
export const MAX_MONITORS = 1_500;
const MAX_ENVIRONMENTS = 1_000;
/** Of one environment in a minute: a run is two check-ins, so this is three runs. */
const MAX_A_MINUTE = 6;

/**
 * What became of a check-in: applied; nothing that was not known; or dropped, because its monitor is off, its environment
 * reports too often, the project has too many monitors or environments, or its id belongs to another run.
 */
export type CheckInFate = "stored" | "duplicate" | Drop;
type Drop = "monitor_off" | "monitor_rate" | "too_many_monitors" | "check_in_mismatch";

/** A monitor whose row is locked until the transaction ends: nobody else applies check-ins of it meanwhile. */
interface LockedMonitor {
  readonly projectId: string;
  readonly slug: string;
  readonly isActive: boolean;
  /** What holds now: a check-in that brings another changes it for those after it in the same transaction. */
  config: MonitorConfig | null;
}

/**
 * Locks the monitor that a check-in names; an unknown one is made. Whoever locks several takes them in the order of
 * project and slug.
 *
 * @returns null when the project has too many
 */
export async function lockMonitor(
  tx: Transaction,
  projectId: string,
  slug: string,
  seen: Date,
): Promise<LockedMonitor | null> {
  const touch = () =>
    tx<{ status: string; config: unknown }[]>`
      update monitors
      set first_seen = least(first_seen, ${seen}), last_seen = greatest(last_seen, ${seen})
      where project_id = ${projectId} and slug = ${slug}
      returning status, config
    `;
  let [row] = await touch();
  if (row === undefined) {
    await tx`
      insert into monitors (project_id, slug, name, first_seen, last_seen)
      select ${projectId}::bigint, ${slug}::text, ${slug}::text, ${seen}::timestamptz, ${seen}::timestamptz
      where (select count(*) from monitors where project_id = ${projectId}) < ${MAX_MONITORS}
      on conflict do nothing
    `;
    [row] = await touch();
  }
  if (row === undefined) return null;
  const config = storedConfig(row.config);
  return { projectId, slug, isActive: row.status === "active", config };
}

/** Notes that a check-in found no room. */
export async function refuseMonitor(
  tx: Transaction,
  projectId: string,
  record: CheckIn,
): Promise<CheckInFate> {
  await tell(tx, projectId, record, "MONITOR_LIMIT_EXCEEDED");
  return "too_many_monitors";
}

/** Applies a check-in; what is dropped is among the errors of the monitor. */
export async function applyCheckIn(
  tx: Transaction,
  locked: LockedMonitor,
  record: CheckIn,
): Promise<CheckInFate> {
  const { projectId } = locked;
  const drop = async (fate: Drop, type: ErrorType): Promise<CheckInFate> => {
    await tell(tx, projectId, record, type);
    return fate;
  };
  const config = locked.config = await upsertConfig(tx, locked, record);
  if (!locked.isActive) return await drop("monitor_off", "MONITOR_DISABLED");
  const environment = nameOf(record.environment);
  const place = { projectId, slug: locked.slug, environment, config };
  const state = await openEnvironment(tx, place, record);
  if (state === null) {
    return await drop("too_many_monitors", "MONITOR_ENVIRONMENT_LIMIT_EXCEEDED");
  }
  if (state.taken > MAX_A_MINUTE) {
    // Once a minute is enough to know of it.
    if (state.taken > MAX_A_MINUTE + 1) return "monitor_rate";
    return await drop("monitor_rate", "MONITOR_ENVIRONMENT_RATELIMITED");
  }
  const run = await findRun(tx, place, record);
  if (run !== null && (run.slug !== place.slug || run.environment !== environment)) {
    return await drop("check_in_mismatch", "CHECKIN_ENVIRONMENT_MISMATCH");
  }
  if (record.status === "log") {
    const isNews = run !== null && await appendLog(tx, place, run, record);
    return isNews ? "stored" : "duplicate";
  }
  const { isNews, ended } = run === null
    ? await beginRun(tx, place, record, state.nextAt)
    : await continueRun(tx, place, run, record);
  if (!isNews) return "duplicate";
  const isLatest = state.lastCheckInAt === null || record.timestamp >= state.lastCheckInAt;
  if (isLatest) await expectAfter(tx, place, record);
  if (ended !== null) await judge(tx, place, ended, record.receivedAt);
  return "stored";
}

interface Applied {
  readonly isNews: boolean;
  /** The run when it has ended by this. */
  readonly ended: Ended | null;
}

async function continueRun(
  tx: Transaction,
  place: Place,
  run: Run,
  record: CheckIn,
): Promise<Applied> {
  const ended = await endRun(tx, place, run, record);
  if (!ended.isNews && record.status !== "in_progress" && !isRepeat(run, record)) {
    await tell(tx, place.projectId, record, "CHECKIN_FINISHED");
  }
  return ended;
}

/** Sent again because an answer got lost, with nothing new in it. */
function isRepeat(run: Run, record: CheckIn): boolean {
  return run.status === record.status;
}

/** Keeps what was wrong, for whoever looks at the page of the monitor. */
async function tell(
  tx: Transaction,
  projectId: string,
  { monitorSlug, environment, receivedAt }: CheckIn,
  type: ErrorType,
  detail = "",
): Promise<void> {
  const place = { slug: nameOf(monitorSlug), environment: nameOf(environment) };
  await noteError(tx, projectId, { ...place, type, detail, notedAt: receivedAt });
}

/** @returns what holds now: what the check-in brings, unless that cannot be used */
async function upsertConfig(
  tx: Transaction,
  { projectId, slug, config: former }: LockedMonitor,
  record: CheckIn,
): Promise<MonitorConfig | null> {
  if (record.monitorConfig === null) return former;
  const read = readConfig(rawConfig(record.monitorConfig), former);
  if (!read.ok) {
    const detail = read.problems.map(({ field, message }) => `${field}: ${message}`).join(" ");
    await tell(tx, projectId, record, "MONITOR_INVALID_CONFIG", detail);
    return former;
  }
  const text = JSON.stringify(read.config);
  if (text === JSON.stringify(former)) return former;
  await tx`
    update monitors set config = ${text}::text::jsonb
    where project_id = ${projectId} and slug = ${slug}
  `;
  await expectAgain(tx, { projectId, slug, config: read.config }, former, record.receivedAt);
  return read.config;
}

function rawConfig(text: string): Raw {
  try {
    return asObject(JSON.parse(text)) ?? {};
  } catch {
    return {};
  }
}

interface EnvironmentState {
  readonly lastCheckInAt: Date | null;
  readonly nextAt: Date | null;
  /** Check-ins of this minute, this one included. */
  readonly taken: number;
}

/** Counts a check-in of an environment, which is made when it is new. @returns null when there are too many */
async function openEnvironment(
  tx: Transaction,
  { projectId, slug, environment }: Place,
  { receivedAt }: CheckIn,
): Promise<EnvironmentState | null> {
  const minute = new Date(Math.floor(receivedAt.getTime() / MINUTE_MS) * MINUTE_MS);
  const count = () =>
    tx<EnvironmentState[]>`
      update monitor_environments set
        taken = case when taken_minute = ${minute} then taken + 1 else 1 end,
        taken_minute = ${minute}
      where project_id = ${projectId} and slug = ${slug} and environment = ${environment}
      returning last_check_in_at as "lastCheckInAt", next_at as "nextAt", taken
    `;
  const [known] = await count();
  if (known !== undefined) return known;
  await tx`
    insert into monitor_environments (project_id, slug, environment, created_at)
    select ${projectId}::bigint, ${slug}::text, ${environment}::text, ${receivedAt}::timestamptz
    where (
      select count(*) from monitor_environments where project_id = ${projectId} and slug = ${slug}
    ) < ${MAX_ENVIRONMENTS}
    on conflict do nothing
  `;
  const [made] = await count();
  return made ?? null;
}
