/** Runs of cron jobs and sessions of an import: what was, and is judged and counted as usage no more. */
import { readTime } from "../formats/event_time.ts";
import { asObject, type Raw, readBoolean, readCount, readText } from "../formats/fields.ts";
import { readEventId } from "../formats/ids.ts";
import {
  checkCronSlug,
  keepPastRuns,
  PAST_STATUSES,
  type PastRun,
  readConfig,
} from "../monitors/mod.ts";
import { InvalidInput } from "../core/errors.ts";
import { HOUR_MS } from "../core/time.ts";
import { keepPastSessions, type PastHour, type PastSessions } from "../releases/mod.ts";
import type { Sql } from "../store/database.ts";
import { nameOf } from "../store/values.ts";
import { type Counts, sumOf } from "./transfers.ts";

/** How what was is read. */
export interface PastScene {
  readonly organizationId: string;
  /** What began before is not kept. */
  readonly since: Date;
  readonly now: Date;
  /** Takes secrets out. */
  readonly scrub: (text: string) => string;
}

/** Keeps runs; those whose ids are known stay as they are. */
export async function takeRuns(
  sql: Sql,
  projectId: string,
  raws: readonly Raw[],
  scene: PastScene,
): Promise<Counts> {
  const runs: PastRun[] = [];
  let counts: Counts = {};
  for (const raw of raws) {
    const run = runOf(raw, scene);
    if (run === null) counts = sumOf(counts, { unreadable: 1 });
    else if (run.startedAt < scene.since) counts = sumOf(counts, { too_old: 1 });
    else runs.push(run);
  }
  if (runs.length === 0) return counts;
  const { kept, refused } = await keepPastRuns(sql, projectId, runs);
  return sumOf(counts, {
    runs: kept,
    dropped: refused,
    there_already: runs.length - refused - kept,
  });
}

function runOf(raw: Raw, { now, scrub }: PastScene): PastRun | null {
  const checkInId = readEventId(raw.check_in_id);
  const slug = slugOf(raw.monitor_slug);
  const status = PAST_STATUSES.find((each) => each === raw.status);
  const startedAt = dateOf(raw.timestamp, now);
  if (checkInId === undefined || slug === null || status === undefined || startedAt === null) {
    return null;
  }
  const sentConfig = asObject(raw.monitor_config);
  const config = sentConfig === undefined ? null : readConfig(sentConfig, null);
  const log = readText(raw.log)?.replaceAll("\0", "").toWellFormed() ?? "";
  return {
    checkInId,
    slug,
    status,
    startedAt,
    environment: nameOf(readText(raw.environment) ?? "production"),
    release: nameOf(readText(raw.release) ?? ""),
    finishedAt: dateOf(raw.finished, now),
    durationSec: secondsOf(raw.duration),
    traceId: readEventId(asObject(asObject(raw.contexts)?.trace)?.trace_id) ?? null,
    receivedAt: dateOf(raw.received, now) ?? startedAt,
    expectedAt: dateOf(raw.expected, null),
    hasBegun: readBoolean(raw.has_begun) ?? true,
    config: config?.ok ? JSON.stringify(config.config) : null,
    log: log === "" ? null : scrub(log),
    isOurs: readBoolean(raw.is_ours) ?? false,
    isUncertain: readBoolean(raw.is_uncertain) ?? false,
  };
}

function slugOf(value: unknown): string | null {
  try {
    return checkCronSlug(readText(value) ?? "");
  } catch (error) {
    if (error instanceof InvalidInput) return null;
    throw error;
  }
}

function secondsOf(value: unknown): number | null {
  return typeof value === "number" && value >= 0 && value < 1e9 ? value : null;
}

/** @param now nothing has happened yet that is still to come; null: it may be to come */
function dateOf(value: unknown, now: Date | null): Date | null {
  const seconds = readTime(value);
  if (seconds === undefined) return null;
  return new Date(Math.min(seconds * 1_000, now?.getTime() ?? Infinity));
}

/** Keeps sessions; hours of a release and environment that has some stay as they are. */
export async function takeSessions(
  sql: Sql,
  projectId: string,
  raws: readonly Raw[],
  scene: PastScene,
): Promise<Counts> {
  let counts: Counts = {};
  for (const raw of raws) {
    const { sessions, tooOld } = sessionsOf(raw, scene);
    const brought = sessions.hours.reduce((sum, { total }) => sum + total, 0);
    const kept = await keepPastSessions(sql, projectId, sessions);
    counts = sumOf(counts, { sessions: kept, too_old: tooOld, there_already: brought - kept });
  }
  return counts;
}

function sessionsOf(
  raw: Raw,
  { since, now }: PastScene,
): { readonly sessions: PastSessions; readonly tooOld: number } {
  const attrs = asObject(raw.attrs) ?? {};
  const aggregates = (Array.isArray(raw.aggregates) ? raw.aggregates : [])
    .flatMap((each) => hourOf(asObject(each) ?? {}, now) ?? []);
  const hours = aggregates.filter(({ hour }) => hour.getTime() + HOUR_MS > since.getTime());
  const sum = (some: readonly PastHour[]) => some.reduce((all, { total }) => all + total, 0);
  const users = asObject(raw.users) ?? {};
  const day = dateOf(users.day, now);
  const [errored, crashed] = [new Set(textsOf(users.errored)), new Set(textsOf(users.crashed))];
  const isKept = day !== null && day.getTime() >= since.getTime();
  return {
    sessions: {
      release: nameOf(readText(attrs.release) ?? ""),
      environment: nameOf(readText(attrs.environment) ?? ""),
      hours: sumsOf(hours),
      day: isKept ? day : null,
      users: [...new Set(textsOf(users.seen))].map((userHash) => ({
        userHash,
        isErrored: errored.has(userHash),
        isCrashed: crashed.has(userHash),
      })),
    },
    tooOld: sum(aggregates) - sum(hours),
  };
}

function textsOf(value: unknown): string[] {
  return (Array.isArray(value) ? value : []).filter((each) =>
    typeof each === "string" && /^[0-9a-f]{32}$/.test(each)
  );
}

function hourOf(raw: Raw, now: Date): PastHour | null {
  const started = dateOf(raw.started, now);
  if (started === null) return null;
  const [errored, unhandled] = [readCount(raw.errored), readCount(raw.unhandled)];
  const [abnormal, crashed] = [readCount(raw.abnormal), readCount(raw.crashed)];
  return {
    hour: new Date(started.getTime() - started.getTime() % HOUR_MS),
    total: readCount(raw.exited) + errored + unhandled + abnormal + crashed,
    errored,
    unhandled,
    abnormal,
    crashed,
    lastSeen: dateOf(raw.last_seen, now) ?? started,
  };
}

/** Servers count by minute: one row an hour. */
function sumsOf(hours: readonly PastHour[]): PastHour[] {
  const byHour = new Map<number, PastHour>();
  for (const one of hours) {
    const other = byHour.get(one.hour.getTime());
    byHour.set(
      one.hour.getTime(),
      other === undefined ? one : {
        hour: one.hour,
        total: one.total + other.total,
        errored: one.errored + other.errored,
        unhandled: one.unhandled + other.unhandled,
        abnormal: one.abnormal + other.abnormal,
        crashed: one.crashed + other.crashed,
        lastSeen: one.lastSeen > other.lastSeen ? one.lastSeen : other.lastSeen,
      },
    );
  }
  return [...byHour.values()];
}
