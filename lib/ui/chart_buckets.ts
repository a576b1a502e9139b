import type { Interval } from "./scope.ts";

/** Widths that people read at a glance, in seconds. */
const WIDTHS = [
  60,
  5 * 60,
  15 * 60,
  30 * 60,
  3_600,
  2 * 3_600,
  3 * 3_600,
  6 * 3_600,
  12 * 3_600,
  86_400,
  2 * 86_400,
  7 * 86_400,
];
/** As many bars as a phone can still show apart: an hour of minutes, a month of half days, and their edges. */
const MAX_BARS = 62;

/** The narrowest readable bar, in seconds, with which an interval fits into one chart. */
export function bucketSecondsFor({ start, end }: Interval): number {
  const seconds = (end.getTime() - start.getTime()) / 1000;
  const widest = WIDTHS.at(-1) ?? 86_400;
  return WIDTHS.find((width) => seconds / width <= MAX_BARS) ??
    Math.ceil(seconds / MAX_BARS / widest) * widest;
}
