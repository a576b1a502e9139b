/**
 * What cumulative series grew by. A point's increase is what came since the point before it: README, "Metrics: what a
 * query means", has the rules.
 */
import type { HistogramPoint } from "../records/metric_batch.ts";
import { EMPTY_HISTOGRAM, type Histogram } from "./histograms/histogram.ts";
import { subtractHistogram } from "./histograms/subtract.ts";
import type { NumberColumns } from "./points.ts";

/** A point with none so long before it is as good as the first one, in milliseconds. */
export const GAP_MS = 60 * 60_000;
/** A series that began so long before its first point has been seen from its beginning. */
const NEW_MS = 5 * 60_000;

/** What decides whether a point continues the one before it. */
interface Moment {
  readonly timeMs: number;
  /** 0: unknown. */
  readonly startMs: number;
}

/**
 * What each point of a cumulative counter adds to the ones before.
 *
 * @param points by ascending time, no two at one time
 * @param usualIntervalMs how often the metric's points come; 0: unknown
 * @returns one a point, never negative; 0 for a first point of which nobody knows since when it has grown
 */
export function increasesOf(points: NumberColumns, usualIntervalMs: number): Float64Array {
  const { times, starts, values } = points;
  const increases = new Float64Array(values.length);
  let last: Moment | null = null;
  let lastValue = 0;
  for (let place = 0; place < values.length; place++) {
    const value = values[place] ?? 0;
    const moment = { timeMs: times[place] ?? 0, startMs: starts[place] ?? 0 };
    if (last === null || isAfterGap(moment, last)) {
      increases[place] = isSeenFromStart(moment, usualIntervalMs) ? Math.max(value, 0) : 0;
    } else {
      const isReset = value < lastValue || hasBegunAnew(moment, last);
      increases[place] = isReset ? Math.max(value, 0) : value - lastValue;
    }
    last = moment;
    lastValue = value;
  }
  return increases;
}

/**
 * What each point of a cumulative histogram adds to the ones before: count, sum and every bucket.
 *
 * @param points by ascending time, no two at one time
 * @param usualIntervalMs how often the metric's points come; 0: unknown
 * @returns one a point; an empty one for a first point of which nobody knows since when it has grown
 */
export function histogramIncreasesOf(
  points: readonly HistogramPoint[],
  usualIntervalMs: number,
): Histogram[] {
  let last: HistogramPoint | null = null;
  return points.map((point) => {
    const before = last;
    last = point;
    if (before === null || isAfterGap(point, before)) {
      return isSeenFromStart(point, usualIntervalMs) ? wholeOf(point) : EMPTY_HISTOGRAM;
    }
    const increase = hasBegunAnew(point, before) ? null : subtractHistogram(point, before);
    return increase ?? wholeOf(point);
  });
}

function isAfterGap(moment: Moment, last: Moment): boolean {
  return moment.timeMs - last.timeMs > GAP_MS;
}

/** Its start moved to where the last point was, or beyond. */
function hasBegunAnew({ startMs }: Moment, last: Moment): boolean {
  return startMs !== 0 && last.startMs !== 0 && startMs !== last.startMs && startMs >= last.timeMs;
}

function isSeenFromStart({ timeMs, startMs }: Moment, usualIntervalMs: number): boolean {
  const age = timeMs - startMs;
  return startMs !== 0 && age > 0 && age <= Math.max(NEW_MS, 2 * usualIntervalMs);
}

/** Extremes of a cumulative point are of its whole life. */
function wholeOf({ count, sum, buckets }: HistogramPoint): Histogram {
  return { count, sum, min: null, max: null, buckets };
}
