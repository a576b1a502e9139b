import type { GroupState, Told } from "../group_state.ts";
import type { AlertRule, AlertTransition } from "../rule.ts";
import { inSchedule } from "./in_schedule.ts";

export interface Telling {
  readonly state: GroupState;
  /** What channels hear now, or null. */
  readonly news: Told | null;
  /** `none`: there is no news, or it is told of silently. */
  readonly outcome: AlertTransition["notice"];
}

type Rules = Pick<AlertRule, "channelIds" | "schedule" | "mutedUntil">;

/** Two notices within this time are enough; a group is calm again when nothing has changed for as long. */
const CALM_MS = 30 * 60_000;

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
