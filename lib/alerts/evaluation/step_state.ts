import type { GroupState } from "../group_state.ts";
import type {
  AlertLevel,
  AlertRule,
  AlertStatus,
  AlertTransition,
} from "../rule.ts";
import { levelOf, levelWhileFiring } from "./judge.ts";

/** What a window has brought for a group. */
export interface Look {
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

const MINUTE_MS = 60_000;
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
