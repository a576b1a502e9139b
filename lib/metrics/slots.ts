/** How time is divided for storing: points in slots of two hours, rollups by hour in slots of a day. In UTC. */
import type { MetricKind } from "../records/metric_batch.ts";
import { stepOf } from "./step_runs.ts";

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const SLOT_MS = 2 * HOUR_MS;
export const DAY_MS = 24 * HOUR_MS;

/** As in `metric_blocks`. */
export const TIER = { raw: 0, minute: 1, hour: 2 } as const;
export type Tier = keyof typeof TIER;

/** As in `metric_slots`. */
export const LEVEL = { slot: 1, day: 2 } as const;

/** The length of a tier's slots. */
export function slotLength(tier: Tier): number {
  return tier === "hour" ? DAY_MS : SLOT_MS;
}

/** The beginning of the slot that a point is kept in. Counters and histograms grow up to a point. */
export function slotOf(kind: MetricKind, timeMs: number): number {
  return stepOf(kind, timeMs, SLOT_MS, 0);
}

export function dayOf(timeMs: number): number {
  return Math.floor(timeMs / DAY_MS) * DAY_MS;
}
