import { MINUTE_MS } from "../../core/time.ts";
import type {
  AlertLevel,
  AlertRule,
  AlertStatus,
  AlertTransition,
  Comparison,
  Condition,
  GroupState,
  Schedule,
  Told,
} from "../rule.ts";

/** What a window has brought for a group. */
interface Look {
  /** The window's end. */
  readonly at: Date;
  /** Null: no data. */
  readonly value: number | null;
  /** An earlier window looked at once more, since data may have come late; null: not this time. */
  readonly again: { readonly at: Date; readonly value: number } | null;
}

export type Change = Omit<AlertTransition, "ruleId" | "group" | "notice">;

export interface Step {
  readonly state: GroupState;
  /** Null: nothing that the history tells of. */
  readonly change: Change | null;
}

type Terms = Pick<AlertRule, "condition" | "forMinutes" | "noData">;

/** Points may come a little late, or a little less often than once a window: that is not yet "no data". */
const NO_DATA_MS = 2 * MINUTE_MS;

/** Moves the state of a group on by one window. */
export function stepState(rule: Terms, state: GroupState, look: Look): Step {
  if (look.value === null) return withoutData(rule, state, look.at);
  const seen = { ...state, seenAt: look.at };
  if (state.status === "firing") {
    const level = levelWhileFiring(rule.condition, look.value);
    return moved(seen, level === null ? "ok" : "firing", level, look.value, look.at);
  }
  const found = breach(rule, state, look, look.value);
  if (found === null) return moved(seen, "ok", null, look.value, look.at);
  const { level, value, since } = found;
  const isLongEnough = look.at.getTime() - since.getTime() >= rule.forMinutes * MINUTE_MS;
  if (isLongEnough) return moved(seen, "firing", level, value, look.at);
  const step = moved(seen, "pending", level, value, look.at);
  return { ...step, state: { ...step.state, since } };
}

/** Ends what a group is in, whatever its values: it is gone, or nobody watches it any more. */
export function endState(state: GroupState, at: Date): Step {
  return moved(state, "ok", null, null, at);
}

interface Breach {
  readonly level: AlertLevel;
  readonly value: number;
  /** Since when the condition holds. */
  readonly since: Date;
}

/**
 * Whether the condition holds, or has held in an earlier window that was judged before all of its data had come. What
 * has changed since then was judged by what is known now, and is left as it is.
 */
function breach(rule: Terms, state: GroupState, look: Look, value: number): Breach | null {
  const level = levelOf(rule.condition, value);
  const since = state.status === "pending" ? state.since : look.at;
  const isOld = look.again !== null && state.status === "ok" &&
    state.since.getTime() <= look.again.at.getTime();
  const late = isOld && look.again !== null ? levelOf(rule.condition, look.again.value) : null;
  if (look.again !== null && late !== null) {
    return level === null
      ? { level: late, value: look.again.value, since: look.again.at }
      : { level, value, since: look.again.at };
  }
  return level === null ? null : { level, value, since };
}

function withoutData({ noData }: Terms, state: GroupState, at: Date): Step {
  const missingMs = at.getTime() - state.seenAt.getTime();
  if (noData === "keep" || missingMs < NO_DATA_MS) return { state, change: null };
  return moved(state, noData === "alert" ? "no_data" : "ok", null, null, at);
}

function moved(
  state: GroupState,
  to: AlertStatus,
  level: AlertLevel | null,
  value: number | null,
  at: Date,
): Step {
  const { status: from, level: before } = state;
  const isSame = from === to && (before === level || to === "pending");
  return {
    state: {
      ...state,
      status: to,
      level,
      value,
      since: from === to ? state.since : at,
      changedAt: isSame ? state.changedAt : at,
    },
    change: isSame ? null : { at, from, to, level, value },
  };
}

/** The level that a value reaches by itself, or null. */
export function levelOf(condition: Condition, value: number): AlertLevel | null {
  const { comparison, warning, critical } = condition;
  if (COMPARES[comparison](value, critical)) return "critical";
  return warning !== null && COMPARES[comparison](value, warning) ? "warning" : null;
}

/**
 * The level of a group that is firing already: it stays at its lowest level until the value is no longer on the wrong
 * side of recovery. Null once it has recovered.
 */
export function levelWhileFiring(condition: Condition, value: number): AlertLevel | null {
  const { comparison, warning, critical, recovery } = condition;
  const lowest: AlertLevel = warning === null ? "critical" : "warning";
  const isUp = COMPARES[comparison](value, recovery ?? warning ?? critical);
  return levelOf(condition, value) ?? (isUp ? lowest : null);
}

const COMPARES: Readonly<Record<Comparison, (value: number, limit: number) => boolean>> = {
  ">": (value, limit) => value > limit,
  ">=": (value, limit) => value >= limit,
  "<": (value, limit) => value < limit,
  "<=": (value, limit) => value <= limit,
};

interface Telling {
  readonly state: GroupState;
  /** What channels hear now, or null. */
  readonly news: Told | null;
  /** `none`: there is no news, or it is told of silently. */
  readonly outcome: AlertTransition["notice"];
}

type Rules = Pick<AlertRule, "channelIds" | "schedule" | "mutedUntil">;

/** Two notices within this time are enough; a group is calm again when nothing has changed for as long. */
const CALM_MS = 30 * MINUTE_MS;

/**
 * Decides what channels hear of a group, by what they know of it already. What is held back is told once nothing holds
 * it any longer, if it is still so; of what is over by then they never hear. The first word of critical is never held back
 * because of changes before it.
 *
 * @param now when it is told
 */
export function tellState(rule: Rules, state: GroupState, now: Date): Telling {
  const current = currentOf(state);
  const calm = { ...state, isFlapping: isFlapping(state, current, now) };
  if (isSame(current, calm.told)) return { state: calm, news: null, outcome: "none" };
  const held = heldBy(rule, calm, now);
  if (held !== null) return { state: calm, news: null, outcome: held };
  if (rule.channelIds.length === 0) {
    return { state: { ...calm, told: current }, news: null, outcome: "no_channel" };
  }
  return { state: afterTelling(calm, current, now), news: current, outcome: "sent" };
}

/** That it got worse is told beside the two notices of a time: otherwise its end would be held back. */
function afterTelling(state: GroupState, current: Told, now: Date): GroupState {
  const isWorse = isEscalation(state, current, now) && state.told.status === "firing";
  return {
    ...state,
    told: current,
    toldAt: now,
    toldBefore: isWorse ? state.toldBefore : state.toldAt,
    criticalToldAt: current.level === "critical" ? now : state.criticalToldAt,
  };
}

/** It is critical, and nobody has heard so lately. */
function isEscalation(state: GroupState, { level }: Told, now: Date): boolean {
  return level === "critical" && !isRecent(state.criticalToldAt, now);
}

function isRecent(at: Date | null, now: Date): boolean {
  return at !== null && now.getTime() - at.getTime() < CALM_MS;
}

/** Lets a group be over without a word. */
export function forget(state: GroupState): GroupState {
  return { ...state, told: currentOf(state) };
}

function currentOf({ status, level }: GroupState): Told {
  return status === "pending" ? { status: "ok", level: null } : { status, level };
}

function isSame(a: Told, b: Told): boolean {
  return a.status === b.status && a.level === b.level;
}

function isFlapping(state: GroupState, current: Told, now: Date): boolean {
  if (isEscalation(state, current, now)) return false;
  if (state.isFlapping) return isRecent(state.changedAt, now);
  return !isSame(current, state.told) && isRecent(state.toldBefore, now);
}

function heldBy(
  rule: Rules,
  state: GroupState,
  now: Date,
): "muted" | "schedule" | "flapping" | null {
  if (rule.mutedUntil !== null && rule.mutedUntil > now) return "muted";
  if (!inSchedule(rule.schedule, now)) return "schedule";
  return state.isFlapping ? "flapping" : null;
}

/** As `Intl` names them, from Sunday on. */
const DAYS = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];

/** Whether notices go out at a time. A night that begins on a chosen day belongs to it until its end. */
export function inSchedule(schedule: Schedule | null, at: Date): boolean {
  if (schedule === null) return true;
  const { days, fromMinute, toMinute, timeZone } = schedule;
  const { day, minute } = localTime(at, timeZone);
  if (fromMinute < toMinute) {
    return days.includes(day) && minute >= fromMinute && minute < toMinute;
  }
  const yesterday = (day + 6) % 7;
  return (days.includes(day) && minute >= fromMinute) ||
    (days.includes(yesterday) && minute < toMinute);
}

/** The day of the week and the minute of the day on clocks of a time zone. */
function localTime(at: Date, timeZone: string): { day: number; minute: number } {
  const parts = new Intl.DateTimeFormat("en-US", {
    timeZone,
    weekday: "short",
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
  }).formatToParts(at);
  const part = (type: Intl.DateTimeFormatPartTypes) =>
    parts.find((each) => each.type === type)?.value ?? "";
  return {
    day: DAYS.indexOf(part("weekday")),
    minute: Number(part("hour")) * 60 + Number(part("minute")),
  };
}
