import { isByMinute } from "./periods.ts";
import type { StatsAt } from "./read_stats.ts";
import { NO_STATS, type Stats, type StatsWithout } from "./stats.ts";
import { HOUR_MS, type Interval, MINUTE_MS } from "../../core/time.ts";

/** Widths that people read at a glance. */
const WIDTHS = [
  MINUTE_MS,
  5 * MINUTE_MS,
  15 * MINUTE_MS,
  HOUR_MS,
  2 * HOUR_MS,
  4 * HOUR_MS,
  6 * HOUR_MS,
  12 * HOUR_MS,
  24 * HOUR_MS,
  48 * HOUR_MS,
  168 * HOUR_MS,
];
const MAX_POINTS = 125;

/** The narrowest step, in milliseconds, by which counts of an interval are there and fit into a chart. */
export function stepOf(interval: Interval, now: Date = new Date()): number {
  const length = interval.end.getTime() - interval.start.getTime();
  const narrowest = isByMinute(interval, now) ? MINUTE_MS : HOUR_MS;
  return WIDTHS.find((width) => width >= narrowest && length / width <= MAX_POINTS) ??
    WIDTHS.at(-1) ?? HOUR_MS;
}

/** Counts at every step of an interval. */
export interface Steps {
  readonly stepMs: number;
  /** Starts of the steps, in milliseconds since 1970. */
  readonly times: readonly number[];
  /** As many; empty where nothing happened. */
  readonly stats: readonly StatsWithout<"users">[];
  /** Minutes of each step that have passed: the last one is still going on. */
  readonly minutes: readonly number[];
}

/** Puts counts in their places along an interval. */
export function alongInterval(
  points: readonly StatsAt<"users">[],
  { start, end }: Interval,
  stepMs: number,
  now: Date = new Date(),
): Steps {
  const byTime = new Map(points.map(({ time, stats }) => [time, stats]));
  const first = Math.floor(start.getTime() / stepMs) * stepMs;
  const until = Math.min(end.getTime(), Math.max(now.getTime(), first + 1));
  const count = Math.max(1, Math.ceil((until - first) / stepMs));
  const times = Array.from({ length: count }, (_, place) => first + place * stepMs);
  return {
    stepMs,
    times,
    stats: times.map((time) => byTime.get(time) ?? NO_STATS),
    minutes: times.map((time) => Math.max(1, Math.min(stepMs, until - time) / MINUTE_MS)),
  };
}

/** Rates per minute of what happened, sampled-away parts included. */
export function ratesOf({ stats, minutes }: Steps): number[] {
  return stats.map(({ weight }, place) => weight / (minutes[place] ?? 1));
}

/** Quantiles of durations; null where nothing happened. */
export function quantilesOf({ stats }: Steps, share: number): (number | null)[] {
  return stats.map(({ sketch }) => sketch.quantile(share));
}

/** Minutes that counts of an interval cover. */
export function minutesOf({ start, end }: Interval, now: Date = new Date()): number {
  const until = Math.min(end.getTime(), now.getTime());
  return Math.max(1, (until - start.getTime()) / MINUTE_MS);
}

/** The interval of the same length before this one. */
export function before({ start, end }: Interval): Interval {
  return { start: new Date(2 * start.getTime() - end.getTime()), end: start };
}

/** Fewer than this tell nothing. */
const MIN_COMPARABLE = 20;

/** Counts of an earlier time to compare with; nothing when there are too few of them. */
export function comparable(earlier: Stats): Stats {
  return earlier.count < MIN_COMPARABLE ? NO_STATS : earlier;
}
