import { isBeforeRetention } from "./spans/before_retention.ts";
import { clip, readTextOrJson } from "./fields.ts";
import type { Json } from "./json.ts";
import { TEXT } from "./limits.ts";
import type { Received } from "./sentry/normalized_event.ts";
import { readTime } from "./timestamps.ts";

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

function noteOf(sent: unknown, time: number | undefined, shift: number): Received | undefined {
  const isMissing = sent === undefined || sent === null;
  if (isMissing || (time !== undefined && shift === 0)) return undefined;
  const timestamp: Json = typeof sent === "number"
    ? sent
    : clip(readTextOrJson(sent), TEXT.path) ?? null;
  return shift === 0 ? { timestamp } : { timestamp, shifted_by: shift };
}
