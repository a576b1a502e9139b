/** How much time the chart of an alert shows: each point of it is a whole window. */
import type { RangePreset } from "../../ui/scope.ts";

const HOUR_MS = 3_600_000;
/** What the chart of an alert can be asked for by a link. */
export const CHART_RANGES = ["1h", "24h", "7d", "30d"] as const satisfies readonly RangePreset[];
export type ChartRange = (typeof CHART_RANGES)[number];

export const RANGE_MS: Readonly<Record<ChartRange, number>> = {
  "1h": HOUR_MS,
  "24h": 24 * HOUR_MS,
  "7d": 7 * 24 * HOUR_MS,
  "30d": 30 * 24 * HOUR_MS,
};

/** Fewer windows make no chart, more are not asked for at once. */
const WINDOWS = { least: 6, most: 2_000 } as const;
const MINUTE_MS = 60_000;

/** The ranges that suit a window of so many minutes. */
export function rangesFor(windowMinutes: number): ChartRange[] {
  return CHART_RANGES.filter((range) => {
    const windows = RANGE_MS[range] / (windowMinutes * MINUTE_MS);
    return windows >= WINDOWS.least && windows <= WINDOWS.most;
  });
}

/** The usual range for a window: a day, and for long windows more. */
export function rangeFor(windowMinutes: number): ChartRange {
  if (windowMinutes <= 60) return "24h";
  return windowMinutes <= 360 ? "7d" : "30d";
}

/** Whether a stretch of time has more windows than are shown at once. */
export function isTooLong(lengthMs: number, windowMinutes: number): boolean {
  return lengthMs / (windowMinutes * MINUTE_MS) > WINDOWS.most;
}
