/**
 * What cumulative series grew by. A point's increase is what came since the point before it: docs/metrics.md, "What a
 * query means", has the rules.
 */
import { HOUR_MS, MINUTE_MS } from "../core/time.ts";
import { downscaled, withZeroThreshold } from "../records/exponential_histogram.ts";
import type { Buckets, ExponentialBuckets, SparseCounts } from "../records/metric_batch.ts";
import {
  areSameBounds,
  type Column,
  EMPTY_HISTOGRAM,
  type Histogram,
  type RawPoints,
} from "./points.ts";

/** A point with none so long before it is as good as the first one, in milliseconds. */
export const GAP_MS = HOUR_MS;
/** A series that began so long before its first point has been seen from its beginning. */
const NEW_MS = 5 * MINUTE_MS;

/** What a metric is called: some count since their machine was started, whatever they say of their start. */
export interface Counted {
  readonly name: string;
  /** As UCUM. */
  readonly unit: string;
}

const NAMELESS: Counted = { name: "", unit: "" };
/** Of hosts, by OpenTelemetry and by Prometheus' node exporter. */
const SINCE_BOOT = /^(?:system[._]|node_)/;
const CPU_SECONDS = /cpu/i;
/** More seconds of CPU than these can give did not pass since the start. */
const MAX_CORES = 256;
/** A first value that is so many times what comes next is older than its start. */
const MAX_FIRST = 10;

/**
 * What each point of a cumulative counter adds to the ones before.
 *
 * @param points by ascending time, no two at one time
 * @param usualIntervalMs how often the metric's points come; 0: unknown
 * @returns one a point, never negative; 0 for a first point of which nobody knows since when it has grown
 */
export function increasesOf(
  points: RawPoints<Float64Array>,
  usualIntervalMs: number,
  counted: Counted = NAMELESS,
): Float64Array {
  const { values } = points;
  const valueAt = (place: number) => values[place] ?? 0;
  const increases = new Float64Array(values.length);
  let before = 0;
  for (let place = 0; place < values.length; place++) {
    const value = valueAt(place);
    const since = sinceWhen(points, place, valueAt, usualIntervalMs, counted);
    if (since !== "unknown") {
      const isReset = since === "start" || value < before;
      increases[place] = isReset ? Math.max(value, 0) : value - before;
    }
    before = value;
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
  points: RawPoints<readonly Histogram[]>,
  usualIntervalMs: number,
  counted: Counted = NAMELESS,
): Histogram[] {
  const { values } = points;
  const countAt = (place: number) => values[place]?.count ?? 0;
  return values.map((value, place) => {
    const since = sinceWhen(points, place, countAt, usualIntervalMs, counted);
    if (since === "unknown") return EMPTY_HISTOGRAM;
    const before = since === "last" ? values[place - 1] : undefined;
    const increase = before === undefined ? null : subtractHistogram(value, before);
    return increase ?? wholeOf(value);
  });
}

/**
 * Since when a point has grown to what it says: since the point before it, or since its own start; of a first one nobody
 * may know.
 *
 * @param valueAt what is counted, by the place of the point
 */
function sinceWhen(
  points: RawPoints<Column>,
  place: number,
  valueAt: (place: number) => number,
  usualIntervalMs: number,
  counted: Counted,
): "last" | "start" | "unknown" {
  if (place > 0 && !isAfterGap(points, place)) {
    return hasBegunAnew(points, place) ? "start" : "last";
  }
  if (!isSeenFromStart(points, place, usualIntervalMs)) return "unknown";
  const value = valueAt(place);
  const next = continues(points, place + 1) ? valueAt(place + 1) - value : 0;
  return couldHaveGrown(points, place, { value, next }, counted) ? "start" : "unknown";
}

/** Whether the point before is so long ago that this one is as good as the first. */
function isAfterGap({ times }: RawPoints<Column>, place: number): boolean {
  return (times[place] ?? 0) - (times[place - 1] ?? 0) > GAP_MS;
}

/** Its start moved to where the last point was, or beyond. */
function hasBegunAnew({ times, starts }: RawPoints<Column>, place: number): boolean {
  const start = starts[place] ?? 0;
  const before = starts[place - 1] ?? 0;
  return start !== 0 && before !== 0 && start !== before && start >= (times[place - 1] ?? 0);
}

function isSeenFromStart(
  { times, starts }: RawPoints<Column>,
  place: number,
  usualIntervalMs: number,
): boolean {
  const startMs = starts[place] ?? 0;
  const age = (times[place] ?? 0) - startMs;
  return startMs !== 0 && age > 0 && age <= Math.max(NEW_MS, 2 * usualIntervalMs);
}

/** Whether there is a point at a place that goes on from the one before. */
function continues(points: RawPoints<Column>, place: number): boolean {
  const { times } = points;
  return (times[place] ?? 0) > (times[place - 1] ?? 0) && !isAfterGap(points, place) &&
    !hasBegunAnew(points, place);
}

interface Grown {
  /** Of the first point. */
  readonly value: number;
  /** What the point after it adds; 0 or less: it tells nothing. */
  readonly next: number;
}

/**
 * Whether the value of a first point can have come since its start: what counts since the machine was started would
 * be a spike at every start of whoever watches it.
 */
function couldHaveGrown(
  { times, starts }: RawPoints<Column>,
  place: number,
  grown: Grown,
  { name, unit }: Counted,
): boolean {
  if (SINCE_BOOT.test(name)) return false;
  const timeMs = times[place] ?? 0;
  const age = timeMs - (starts[place] ?? 0);
  const isCpuTime = unit === "s" && CPU_SECONDS.test(name);
  if (isCpuTime && grown.value > MAX_CORES * age / 1000) return false;
  if (grown.next <= 0) return true;
  const expected = grown.next * Math.max(1, age / ((times[place + 1] ?? 0) - timeMs));
  return grown.value <= MAX_FIRST * expected;
}

/** Extremes of a cumulative point are of its whole life. */
function wholeOf({ count, sum, buckets }: Histogram): Histogram {
  return { count, sum, min: null, max: null, buckets };
}

/**
 * What was observed between two points of a cumulative histogram. Exponential buckets are brought to the coarser of
 * both scales, and to the wider of both zero buckets.
 *
 * @returns null when the later one cannot have grown out of the earlier: it began anew, or has other bounds
 */
export function subtractHistogram(later: Histogram, earlier: Histogram): Histogram | null {
  const count = later.count - earlier.count;
  const buckets = count < 0 ? null : subtractBuckets(later.buckets, earlier.buckets);
  if (buckets === null) return null;
  const sum = later.sum === null || earlier.sum === null ? null : later.sum - earlier.sum;
  return { count, sum, min: null, max: null, buckets };
}

function subtractBuckets(later: Buckets, earlier: Buckets): Buckets | null {
  if (later.kind === "exponential") {
    return earlier.kind === "exponential" ? subtractExponential(later, earlier) : null;
  }
  if (earlier.kind !== "explicit" || !areSameBounds(later.bounds, earlier.bounds)) return null;
  const counts = later.counts.map((count, place) => count - (earlier.counts[place] ?? 0));
  return counts.some((count) => count < 0) ? null : { ...later, counts };
}

function subtractExponential(
  later: ExponentialBuckets,
  earlier: ExponentialBuckets,
): ExponentialBuckets | null {
  const scale = Math.min(later.scale, earlier.scale);
  const threshold = Math.max(later.zeroThreshold, earlier.zeroThreshold);
  const after = withZeroThreshold(downscaled(later, scale), threshold);
  const before = withZeroThreshold(downscaled(earlier, scale), threshold);
  const zeroCount = after.zeroCount - before.zeroCount;
  const positive = subtractCounts(after.positive, before.positive);
  const negative = subtractCounts(after.negative, before.negative);
  if (zeroCount < 0 || positive === null || negative === null) return null;
  return { kind: "exponential", scale, zeroThreshold: threshold, zeroCount, positive, negative };
}

/** Both by ascending index. */
function subtractCounts(later: SparseCounts, earlier: SparseCounts): SparseCounts | null {
  const indexes: number[] = [];
  const counts: number[] = [];
  let passed = 0;
  for (const [place, index] of later.indexes.entries()) {
    let count = later.counts[place] ?? 0;
    for (; passed < earlier.indexes.length; passed++) {
      const other = earlier.indexes[passed] ?? Infinity;
      if (other > index) break;
      const known = earlier.counts[passed] ?? 0;
      if (other === index) count -= known;
      else if (known > 0) return null;
    }
    if (count < 0) return null;
    if (count > 0) {
      indexes.push(index);
      counts.push(count);
    }
  }
  return earlier.counts.slice(passed).some((count) => count > 0) ? null : { indexes, counts };
}
