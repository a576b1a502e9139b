/** What a check means: whether an incident opens or ends, when the next check is due, and which time it accounts for. */
import { SECOND_MS } from "../../core/time.ts";
import type { Monitor, MonitorState } from "./monitor.ts";
import { nextSlot, patienceMs, RETRY_MS } from "./slots.ts";

/** What time counts as; paused time counts as nothing. */
export type TimeKind = MonitorState | "maintenance";

export interface Span {
  readonly kind: TimeKind;
  readonly start: Date;
  /** Exclusive. */
  readonly end: Date;
}

/** A check, as far as its meaning goes. */
export interface Seen {
  readonly status: "up" | "degraded" | "down";
  /** When it began. */
  readonly at: Date;
  /** When it was over. */
  readonly endedAt: Date;
}

/** What else there is to know. */
export interface Circumstances {
  readonly isMaintenance: boolean;
  /** This server itself has no network, as it seems. */
  readonly isCutOff: boolean;
}

/** How a monitor stands after a check. */
export interface Verdict extends
  Pick<
    Monitor,
    | "state"
    | "since"
    | "failures"
    | "successes"
    | "turningSince"
    | "isCutOff"
    | "countedUntil"
    | "dueAt"
  > {
  readonly incident: "none" | "opens" | "goes_on" | "closes";
  /** Time that is accounted for now, in order and without gaps. */
  readonly spans: readonly Span[];
}

type Judged = Pick<
  Monitor,
  | "monitorId"
  | "intervalSec"
  | "failureThreshold"
  | "recoveryThreshold"
  | "state"
  | "since"
  | "failures"
  | "successes"
  | "turningSince"
  | "isCutOff"
  | "incidentId"
  | "checkedAt"
  | "countedUntil"
>;

/** Whether this failure would be the one that opens an incident. */
export function wouldOpen(
  monitor: Judged,
  { status, at }: Seen,
  isMaintenance: boolean,
): boolean {
  return status === "down" && !isMaintenance && monitor.incidentId === null &&
    freshFailures(monitor, at) + 1 >= monitor.failureThreshold;
}

/** Judges a check of a monitor. */
export function judge(monitor: Judged, seen: Seen, where: Circumstances): Verdict {
  const outcome = seen.status === "down"
    ? failed(monitor, seen, where)
    : succeeded(monitor, seen.status, seen);
  const { state, incident, turningSince } = outcome;
  const counted = missed(monitor, seen.at);
  // While it is not certain which it was, the time is counted as nothing yet.
  const isOpenEnded = turningSince !== null;
  const isTurned = incident === "opens" || incident === "closes";
  const turn = isTurned ? outcome.turned ?? seen.at : null;
  return {
    state,
    since: state === monitor.state ? monitor.since : turn ?? seen.at,
    failures: outcome.failures,
    successes: outcome.successes,
    turningSince,
    isCutOff: outcome.isCutOff,
    incident,
    dueAt: isOpenEnded
      ? new Date(seen.endedAt.getTime() + RETRY_MS)
      : nextSlot(monitor, later(seen.endedAt, seen.at)),
    countedUntil: isOpenEnded ? counted.countedUntil ?? seen.at : seen.at,
    spans: isOpenEnded ? counted.spans : [
      ...counted.spans,
      ...spansOf(monitor, counted.countedUntil, seen, where, { state, turn }),
    ],
  };
}

interface Outcome
  extends
    Pick<Verdict, "state" | "failures" | "successes" | "turningSince" | "isCutOff" | "incident"> {
  /** When what is certain now began. */
  readonly turned: Date | null;
}

function failed(monitor: Judged, { at }: Seen, where: Circumstances): Outcome {
  const base = { successes: 0, turningSince: null, turned: null, isCutOff: monitor.isCutOff };
  if (monitor.incidentId !== null) {
    return { ...base, state: "down", failures: monitor.failures + 1, incident: "goes_on" };
  }
  if (where.isMaintenance) {
    return { ...base, state: monitor.state, failures: 0, incident: "none" };
  }
  const failures = freshFailures(monitor, at) + 1;
  const began = failures > 1 ? monitor.turningSince ?? at : at;
  if (failures < monitor.failureThreshold) {
    return { ...base, state: monitor.state, failures, turningSince: began, incident: "none" };
  }
  return where.isCutOff
    ? { ...base, state: "unknown", failures, isCutOff: true, incident: "none" }
    : { ...base, state: "down", failures, isCutOff: false, incident: "opens", turned: began };
}

function succeeded(monitor: Judged, status: "up" | "degraded", { at }: Seen): Outcome {
  const isFresh = isRecent(monitor, at);
  const successes = (isFresh ? monitor.successes : 0) + 1;
  const base = { failures: 0, successes, turningSince: null, turned: null, isCutOff: false };
  if (monitor.incidentId === null) return { ...base, state: status, incident: "none" };
  const began = successes > 1 ? monitor.turningSince ?? at : at;
  return successes < monitor.recoveryThreshold
    ? { ...base, state: "down", turningSince: began, incident: "goes_on" }
    : { ...base, state: status, incident: "closes", turned: began };
}

/** Failures in a row, as long as nothing is known to have been missed between them. */
function freshFailures(monitor: Judged, at: Date): number {
  return isRecent(monitor, at) ? monitor.failures : 0;
}

/** Whether the check before was the one that should have been before. */
function isRecent({ checkedAt, intervalSec }: Judged, at: Date): boolean {
  if (checkedAt === null) return false;
  return Math.abs(at.getTime() - checkedAt.getTime()) <= patienceMs(intervalSec);
}

/** Accounts for the time up to a check before which others were missed: from the first of those on, nothing is known. */
function missed(
  monitor: Judged,
  at: Date,
): { readonly spans: readonly Span[]; readonly countedUntil: Date | null } {
  const { countedUntil: start, checkedAt, intervalSec } = monitor;
  if (isRecent(monitor, at) || start === null || checkedAt === null) {
    return { spans: [], countedUntil: start };
  }
  const known = later(start, new Date(checkedAt.getTime() + intervalSec * SECOND_MS));
  const spans: Span[] = [
    { kind: stateBefore(monitor), start, end: earlier(known, at) },
    { kind: "unknown", start: earlier(known, at), end: at },
  ];
  return { spans: spans.filter((span) => span.start < span.end), countedUntil: at };
}

/** What the time since the last accounting was, where nothing was missed. */
function spansOf(
  monitor: Judged,
  start: Date | null,
  { at }: Seen,
  { isMaintenance }: Circumstances,
  { state, turn }: { readonly state: MonitorState; readonly turn: Date | null },
): Span[] {
  if (start === null || start >= at) return [];
  if (isMaintenance) return [{ kind: "maintenance", start, end: at }];
  // After a blip everything was as before; after a turn it was so until the turn.
  const turned = turn === null ? at : later(start, turn);
  const spans: Span[] = [
    { kind: stateBefore(monitor), start, end: turned },
    { kind: state, start: turned, end: at },
  ];
  return spans.filter((span) => span.start < span.end);
}

function stateBefore(monitor: Judged): MonitorState {
  return monitor.isCutOff ? "unknown" : monitor.state;
}

function later(one: Date, other: Date): Date {
  return one > other ? one : other;
}

function earlier(one: Date, other: Date): Date {
  return one < other ? one : other;
}
