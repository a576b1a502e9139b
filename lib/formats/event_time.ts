import { clip, readTextOrJson } from "./fields.ts";
import type { Json } from "./json.ts";
import { TEXT } from "./limits.ts";
import type { Received } from "./sentry/normalized_event.ts";

export interface Clock {
  readonly receivedAt: Date;
  /** The client's clock when it sent; null when it did not say. */
  readonly sentAt: Date | null;
  readonly retentionDays: number;
}

export interface EventTime {
  /** All in seconds; `shift` is to be added to every other time of the event. */
  readonly timestamp: number;
  readonly shift: number;
  /** What the client said lies before all that is kept, by the server's clock as well. */
  readonly isTooOld: boolean;
  readonly received: Received | undefined;
}

/** From this difference on, a client's clock is believed to be wrong; below, the network was slow. */
const MIN_DRIFT_SEC = 55 * 60;
const MAX_FUTURE_SEC = 60;
const DAY_SEC = 86_400;

/**
 * When an event happened, by the server's clock. A client whose clock is off by 55 minutes or more is set right;
 * a time that is still more than a minute ahead, or older than the retention, becomes the time of receipt. What
 * the client said is returned as `received`.
 */
export function eventTime(sent: unknown, clock: Clock): EventTime {
  const now = clock.receivedAt.getTime() / 1000;
  const drift = clock.sentAt ? now - clock.sentAt.getTime() / 1000 : 0;
  const driftShift = Math.abs(drift) >= MIN_DRIFT_SEC ? drift : 0;
  const time = readTime(sent);
  const corrected = (time ?? now) + driftShift;
  const isKept = time !== undefined && corrected === nearestKept(corrected, clock);
  const timestamp = isKept ? corrected : now;
  const shift = time === undefined ? driftShift : timestamp - time;
  const isTooOld = time !== undefined && isBeforeRetention(corrected, clock);
  return { timestamp, shift, isTooOld, received: noteOf(sent, time, shift) };
}

/**
 * The nearest time that is kept: not older than the retention, at most a minute ahead. For what an event says of
 * other times, such as when a span began: stores are divided by these as well.
 *
 * @param time in seconds, by the server's clock
 */
export function nearestKept(
  time: number,
  { receivedAt, retentionDays }: Pick<Clock, "receivedAt" | "retentionDays">,
): number {
  const now = receivedAt.getTime() / 1000;
  return Math.min(Math.max(time, now - retentionDays * DAY_SEC), now + MAX_FUTURE_SEC);
}

/**
 * Whether something began before all that is kept. If it ended lately, it has not lasted that long: its client counts
 * in other units, or from the start of its machine, and one such duration would outweigh all others together.
 *
 * @param time in seconds since 1970, by the server's clock
 */
export function isBeforeRetention(
  time: number,
  { receivedAt, retentionDays }: Pick<Clock, "receivedAt" | "retentionDays">,
): boolean {
  return time < receivedAt.getTime() / 1000 - retentionDays * DAY_SEC;
}

/** Clocks that are further ahead are wrong, and what they say belongs to no day that exists. */
const MAX_AHEAD_SEC = 3_600;

/** Whether something that happened then is taken at all. @param time in seconds since 1970 */
export function isInWindow(
  time: number,
  clock: Pick<Clock, "receivedAt" | "retentionDays">,
): boolean {
  const now = clock.receivedAt.getTime() / 1000;
  return time <= now + MAX_AHEAD_SEC && !isBeforeRetention(time, clock);
}

function noteOf(sent: unknown, time: number | undefined, shift: number): Received | undefined {
  const isMissing = sent === undefined || sent === null;
  if (isMissing || (time !== undefined && shift === 0)) return undefined;
  const timestamp: Json = typeof sent === "number"
    ? sent
    : clip(readTextOrJson(sent), TEXT.path) ?? null;
  return shift === 0 ? { timestamp } : { timestamp, shifted_by: shift };
}

const ISO =
  /^(\d{4})-?(\d\d)-?(\d\d)(?:[T ]+(\d\d):?(\d\d)(?::?(\d\d)(?:[.,](\d{1,20}))?)?)?\s*(Z|UTC|GMT|[+-]\d\d:?(?:\d\d)?)?$/i;

/** Longer texts are no dates; keeps `Date.parse` off them. */
const MAX_DATE_LENGTH = 64;

/**
 * Seconds since 1970 out of anything that clients call a time: seconds as a number or a numeric string
 * (milli-, micro- and nanoseconds are recognised by their size), ISO 8601 with any offset or none (UTC), and
 * what `Date.parse` understands. Undefined for everything else and for years before 1970 (Go's zero time).
 */
export function readTime(value: unknown): number | undefined {
  if (typeof value === "number") return fromNumber(value);
  if (typeof value !== "string" || value.length > MAX_DATE_LENGTH) return undefined;
  const text = value.trim();
  const iso = ISO.exec(text);
  if (iso) return plausible(fromIso(iso));
  const number = Number(text);
  if (!Number.isNaN(number)) return text === "" ? undefined : fromNumber(number);
  return plausible(Date.parse(text) / 1000);
}

/** The last second that a `Date` and a Postgres timestamp can both hold with ease: year 9999. */
const LAST_SECOND = 253_402_300_799;

function plausible(seconds: number): number | undefined {
  return seconds >= 0 && seconds <= LAST_SECOND ? seconds : undefined;
}

/** As seconds these would be the years 5138 and later, so they must be finer units. */
function fromNumber(value: number): number | undefined {
  if (value > 1e17) return plausible(value / 1e9);
  if (value > 1e14) return plausible(value / 1e6);
  if (value > 1e11) return plausible(value / 1e3);
  return plausible(value);
}

function fromIso(match: RegExpExecArray): number {
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match.slice(1, 7)
    .map((digits) => Number(digits ?? 0));
  if (year < 1970) return NaN; // also because Date.UTC takes the years 0 to 99 for 1900 to 1999
  const [fraction, zone] = match.slice(7);
  const whole = Date.UTC(year, month - 1, day, hour, minute, second) / 1000;
  return whole + Number(`0.${fraction ?? 0}`) - offsetOf(zone);
}

function offsetOf(zone: string | undefined): number {
  if (zone === undefined || !/^[+-]/.test(zone)) return 0;
  const digits = zone.slice(1).replace(":", "");
  const seconds = Number(digits.slice(0, 2)) * 3600 + Number(digits.slice(2) || 0) * 60;
  return zone.startsWith("-") ? -seconds : seconds;
}
