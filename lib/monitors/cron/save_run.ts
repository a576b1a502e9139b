/** Runs as rows: each begins and ends by check-ins, which come in whichever order. */
import { MINUTE_MS } from "../../core/time.ts";
import type { CheckIn } from "../../records/mod.ts";
import type { Transaction } from "../../store/database.ts";
import { nameOf } from "../../store/values.ts";
import type { MonitorConfig } from "./config.ts";
import type { Ended, Place } from "./judge.ts";

/** Of what a job says, the end: there it says what went wrong. */
export const MAX_LOG_LENGTH = 10_000;

export interface Run {
  readonly checkInId: string;
  readonly slug: string;
  readonly environment: string;
  readonly status: "in_progress" | "ok" | "error" | "unknown" | "missed" | "timeout";
  readonly startedAt: Date;
  /** When its client said that it had ended, or null. */
  readonly finishedAt: Date | null;
  readonly durationSec: number | null;
  /** Whether its client said that it began. */
  readonly hasBegun: boolean;
}

/**
 * The run that a check-in is about: that of its id; without one, the newest that is open, for those that end it. A log
 * without an id is about the newest run of all.
 */
export async function findRun(
  tx: Transaction,
  { projectId, slug, environment }: Place,
  { checkInId, status }: CheckIn,
): Promise<Run | null> {
  if (checkInId === null && status === "in_progress") return null;
  const [run] = await tx<Run[]>`
    select check_in_id as "checkInId", monitor_slug as slug, environment, status,
      started_at as "startedAt", finished_at as "finishedAt", duration_sec as "durationSec",
      has_begun as "hasBegun"
    from check_ins
    where project_id = ${projectId} and ${
    checkInId !== null ? tx`check_in_id = ${checkInId}` : tx`
      monitor_slug = ${slug} and environment = ${environment} and not is_ours
      ${status === "log" ? tx`` : tx`and status = 'in_progress'`}
    `
  }
    order by status = 'in_progress' desc, started_at desc limit 1
  `;
  return run ?? null;
}

interface Saved {
  readonly isNews: boolean;
  readonly ended: Ended | null;
}

/**
 * Begins a run; one whose first report is its end has a start as long ago as it took.
 *
 * @param expectedAt when a run was expected next
 */
export async function beginRun(
  tx: Transaction,
  { projectId, slug, environment, config }: Place,
  record: CheckIn,
  expectedAt: Date | null,
): Promise<Saved> {
  const { status, durationSec, timestamp } = record;
  const isOpen = status === "in_progress";
  const checkInId = record.checkInId ?? crypto.randomUUID();
  const startedAt = isOpen || durationSec === null
    ? timestamp
    : new Date(timestamp.getTime() - durationSec * 1000);
  const { count } = await tx`
    insert into check_ins (
      project_id, check_in_id, monitor_slug, environment, release, status, started_at, finished_at,
      duration_sec, trace_id, received_at, has_begun, expected_at, timeout_at, config, log
    ) values (
      ${projectId}, ${checkInId}, ${slug}, ${environment}, ${nameOf(record.release)}, ${status},
      ${startedAt}, ${isOpen ? null : timestamp}, ${durationSec}, ${record.traceId}::uuid,
      ${record.receivedAt}, ${isOpen}, ${expectedAt}, ${timeoutAfter(config, startedAt)},
      ${config === null ? null : JSON.stringify(config)}::text::jsonb, ${lastOf(record.log)}
    )
    on conflict (project_id, check_in_id) do nothing
  `;
  // Another monitor has taken the id at this very moment.
  if (count === 0) return NOTHING;
  return { isNews: true, ended: endedBy(status, checkInId, startedAt) };
}

/**
 * Ends a run, moves the time by which it must have ended, or learns when it had begun. The first report that is final
 * holds; that it ran out of time stays so.
 */
export async function endRun(
  tx: Transaction,
  place: Place,
  run: Run,
  record: CheckIn,
): Promise<Saved> {
  if (record.status === "in_progress") return await goOn(tx, place, run, record);
  if (run.finishedAt !== null) return NOTHING;
  const startedAt = run.startedAt;
  const tookSec = record.durationSec ?? run.durationSec ??
    Math.max(0, (record.timestamp.getTime() - startedAt.getTime()) / 1000);
  const status = run.status === "timeout" ? "timeout" : record.status;
  await tx`
    update check_ins set
      status = ${status}, finished_at = ${record.timestamp}, duration_sec = ${tookSec},
      trace_id = coalesce(trace_id, ${record.traceId}::uuid),
      log = ${joined(tx, record.log)}
    where project_id = ${place.projectId} and check_in_id = ${run.checkInId}
  `;
  const ended = run.status === "timeout" ? null : endedBy(status, run.checkInId, startedAt);
  return { isNews: true, ended };
}

const NOTHING: Saved = { isNews: false, ended: null };

/** A sign of life of a run that is open; and for one that has ended, the report of its beginning that was overtaken. */
async function goOn(
  tx: Transaction,
  { projectId, config }: Place,
  run: Run,
  record: CheckIn,
): Promise<Saved> {
  if (run.status === "in_progress") {
    const timeoutAt = timeoutAfter(config, record.receivedAt);
    await tx`
      update check_ins set timeout_at = ${timeoutAt}, log = ${joined(tx, record.log)}
      where project_id = ${projectId} and check_in_id = ${run.checkInId}
    `;
    // Sent once more, not a sign of life.
    const isRepeat = record.timestamp.getTime() === run.startedAt.getTime();
    return { isNews: !isRepeat, ended: null };
  }
  if (run.finishedAt === null || run.hasBegun) return NOTHING;
  await tx`
    update check_ins set
      has_begun = true,
      started_at = least(started_at, ${record.timestamp}),
      duration_sec = coalesce(duration_sec,
        greatest(extract(epoch from finished_at - least(started_at, ${record.timestamp})), 0))
    where project_id = ${projectId} and check_in_id = ${run.checkInId}
  `;
  return { isNews: true, ended: null };
}

function endedBy(status: CheckIn["status"] | "timeout", checkInId: string, startedAt: Date) {
  return status === "ok" || status === "error" ? { checkInId, status, startedAt } : null;
}

/** When a run that goes on has taken too long; null without a schedule. */
function timeoutAfter(config: MonitorConfig | null, from: Date): Date | null {
  if (config === null) return null;
  const minutes = Math.floor(from.getTime() / MINUTE_MS) + config.max_runtime;
  return new Date(minutes * MINUTE_MS);
}

/** Keeps what a job said of a run. @returns whether it said anything */
export async function appendLog(
  tx: Transaction,
  { projectId }: Place,
  run: Run,
  record: CheckIn,
): Promise<boolean> {
  if (record.log === null) return false;
  await tx`
    update check_ins set log = ${joined(tx, record.log)}
    where project_id = ${projectId} and check_in_id = ${run.checkInId}
  `;
  return true;
}

/** The log of a row with a text at its end, cut at its beginning. */
function joined(tx: Transaction, text: string | null) {
  const added = lastOf(text);
  if (added === null) return tx`log`;
  return tx`right(case when log is null then ${added} else log || E'\n' || ${added} end, ${MAX_LOG_LENGTH})`;
}

function lastOf(text: string | null): string | null {
  return text === null || text === "" ? null : text.slice(-MAX_LOG_LENGTH);
}
