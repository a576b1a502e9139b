/** Entries of the histories of alerts as lines, in the words of the API. */
import {
  ALERT_LEVELS,
  ALERT_STATUSES,
  type AlertTransition,
  NOTICE_OUTCOMES,
} from "../../alerts/mod.ts";
import type { Raw } from "../../formats/fields.ts";
import { oneOf, pastTime, textOf } from "./values.ts";

export const ALERT_ENTRY = "alert_history";

/** Of the labels of a group there are a few, of some hundred characters each. */
const MAX_GROUP = 10_000;

/** Reads an entry; null for none. @param group here, where issues have other ids; null: as the line has it */
export function entryOf(
  raw: Raw,
  ruleId: string,
  group: string | null,
  now: Date,
): AlertTransition | null {
  const at = pastTime(raw.at, now);
  const [from, to] = [oneOf(ALERT_STATUSES, raw.from), oneOf(ALERT_STATUSES, raw.to)];
  const notice = oneOf(NOTICE_OUTCOMES, raw.notice);
  if (at === null || from === null || to === null || notice === null) return null;
  const { value } = raw;
  return {
    ruleId,
    group: group ?? textOf(raw.group, MAX_GROUP),
    at,
    from,
    to,
    level: oneOf(ALERT_LEVELS, raw.level),
    value: typeof value === "number" && Number.isFinite(value) ? value : null,
    notice,
  };
}

/** Whether a line is no entry, but says that something went on when it was exported. */
export function isEnd(raw: Raw): boolean {
  return raw.goesOn === true;
}
