/** Values behind the keys of a search: times, numbers, yes and no. */
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../core/time.ts";
import { type Comparison, COMPARISONS, type TimeRange } from "./terms.ts";
import { message, t } from "../../core/language/translate.ts";

/** Why a value means nothing behind its key. */
export interface Unclear {
  readonly reason: string;
}

const UNIT_MS: Readonly<Record<string, number>> = {
  m: MINUTE_MS,
  h: HOUR_MS,
  d: DAY_MS,
  w: 7 * DAY_MS,
};
/** Years that Postgres and people can make something of. */
const YEARS = { min: 2000, max: 2999 };
const TIME_HELP = message(
  "Write -24h (within), +7d (longer ago), 2026-11-01 (that day), >2026-11-01T08:00 or <2026-11-01",
);
const RELATIVE = /^([+-])(\d{1,4})([mhdw])$/;
const ABSOLUTE = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(:\d\d)?(\.\d{1,9})?(Z|[+-]\d\d:\d\d)?)?$/;
/** A time of day without a comparison means about then. */
const ABOUT = { before: 5 * MINUTE_MS, after: 6 * MINUTE_MS };

/**
 * Reads a time: `-24h` is within the last 24 hours, `+24h` longer ago; `2026-11-01` that day in UTC; a time of day
 * the minutes around it; `>`, `>=`, `<`, `<=` after and before.
 */
export function readTime(value: string, now: Date): TimeRange | Unclear {
  const [operator, rest] = divided(value);
  const relative = RELATIVE.exec(rest);
  if (relative !== null) {
    const [, sign, count, unit = ""] = relative;
    const at = new Date(now.getTime() - Number(count) * (UNIT_MS[unit] ?? 0));
    if (operator !== null) return compared(operator, at) ?? { reason: t(TIME_HELP) };
    return sign === "-" ? { from: at, to: null } : { from: null, to: later(at, 1) };
  }
  const absolute = ABSOLUTE.exec(rest);
  if (absolute === null) return { reason: t(TIME_HELP) };
  const [, day = "", minute, second = ":00", fraction = "", zone = "Z"] = absolute;
  const at = new Date(minute === undefined ? day : `${day}T${minute}${second}${fraction}${zone}`);
  const year = at.getUTCFullYear();
  if (!(year >= YEARS.min && year <= YEARS.max)) return { reason: t(TIME_HELP) };
  if (operator !== null && operator !== "=") {
    return compared(operator, at) ?? { reason: t(TIME_HELP) };
  }
  return minute === undefined
    ? { from: at, to: later(at, DAY_MS) }
    : { from: later(at, -ABOUT.before), to: later(at, ABOUT.after) };
}

function compared(operator: Comparison, at: Date): TimeRange | null {
  switch (operator) {
    case ">=":
      return { from: at, to: null };
    case ">":
      return { from: later(at, 1), to: null };
    case "<":
      return { from: null, to: at };
    case "<=":
      return { from: null, to: later(at, 1) };
    default:
      return null;
  }
}

function later(at: Date, ms: number): Date {
  return new Date(at.getTime() + ms);
}

const FACTORS: Readonly<Record<string, number>> = { k: 1e3, m: 1e6, b: 1e9 };

/** Reads a number with an optional comparison, as `>100`, `<=2k`, `1.5m`, `3`. */
export function readNumber(
  value: string,
): { readonly operator: Comparison; readonly value: number } | Unclear {
  const [operator, rest] = divided(value);
  const match = /^(\d{1,12}(?:\.\d{1,6})?)([kmb])?$/i.exec(rest);
  if (match === null) return { reason: t("Write a number, as in >100, <=5, 1 or >2k") };
  const factor = FACTORS[match[2]?.toLowerCase() ?? ""] ?? 1;
  const number = Math.round(Number(match[1]) * factor * 1e6) / 1e6;
  return { operator: operator ?? "=", value: number };
}

/** A comparison in front of a value, and the rest. */
export function divided(value: string): [operator: Comparison | null, rest: string] {
  const operator = COMPARISONS.find((one) => value.startsWith(one)) ?? null;
  return [operator, operator === null ? value : value.slice(operator.length)];
}

const YES = ["true", "yes", "1"];
const NO = ["false", "no", "0"];

/** Reads yes or no. */
export function readBoolean(value: string): boolean | Unclear {
  const word = value.toLowerCase();
  if (YES.includes(word)) return true;
  return NO.includes(word) ? false : { reason: t("Write true or false") };
}
