/** When a monitor is checked: each has its own second within the interval, so that checks are spread evenly. */
import { createHash } from "node:crypto";
import { SECOND_MS } from "../../core/time.ts";

/** From one try to the next, by their beginnings, while it is not certain whether a monitor is down, or is up again. */
export const RETRY_MS = 10 * SECOND_MS;

/** Who is checked at which times. */
interface Slotted {
  readonly monitorId: string;
  readonly intervalSec: number;
}

/** The first due time of a monitor after a moment. */
export function nextSlot({ monitorId, intervalSec }: Slotted, after: Date): Date {
  const intervalMs = intervalSec * SECOND_MS;
  const offset = offsetOf(monitorId, intervalMs);
  const passed = Math.floor((after.getTime() - offset) / intervalMs);
  return new Date((passed + 1) * intervalMs + offset);
}

/** How many due times of a monitor lie after one moment and not after another. */
export function slotsBetween({ monitorId, intervalSec }: Slotted, from: Date, to: Date): number {
  const intervalMs = intervalSec * SECOND_MS;
  const offset = offsetOf(monitorId, intervalMs);
  const passed = (at: Date) => Math.floor((at.getTime() - offset) / intervalMs);
  return Math.max(0, passed(to) - passed(from));
}

/** Milliseconds into each interval. */
function offsetOf(monitorId: string, intervalMs: number): number {
  return createHash("sha256").update(monitorId).digest().readUInt32BE() % intervalMs;
}

/**
 * The gap between two checks from which on the time between counts as not measured: one check may come late, for
 * instance behind a deployment; what comes later than that was missed.
 *
 * @returns milliseconds
 */
export function patienceMs(intervalSec: number): number {
  return intervalSec * SECOND_MS * 1.5 + 60 * SECOND_MS;
}
