/** How long to wait before something that failed is tried again. */
import { HOUR_MS, MINUTE_MS, SECOND_MS } from "./time.ts";

/** Pauses after the first attempts; the last one holds from there on. */
const PAUSES_MS = [10 * SECOND_MS, MINUTE_MS, 5 * MINUTE_MS, 20 * MINUTE_MS, HOUR_MS];
/** Nine pauses, five and a half hours in all. */
export const MAX_ATTEMPTS = 10;
/** Share by which a pause is longer or shorter, so that what failed together is not tried together. */
const JITTER = 0.1;

/**
 * How long to wait before the next attempt.
 *
 * @param attempts how many there were
 * @param retryAfterMs what the receiver asked for, or null; believed up to an hour
 * @param random 0 to 1
 * @returns milliseconds, or null when there is to be no other attempt
 */
export function pauseAfter(
  attempts: number,
  retryAfterMs: number | null,
  random: () => number = Math.random,
): number | null {
  if (attempts >= MAX_ATTEMPTS) return null;
  const pause = PAUSES_MS[Math.min(attempts, PAUSES_MS.length) - 1] ?? HOUR_MS;
  const varied = pause * (1 + JITTER * (2 * random() - 1));
  return Math.max(varied, Math.min(retryAfterMs ?? 0, HOUR_MS));
}
