import { ExponentialSum } from "../../records/exponential_histogram.ts";
import type {
  ExplicitBuckets,
  ExponentialBuckets,
  HistogramPoint,
  SparseCounts,
} from "../../records/mod.ts";
import { type Fault, LIMITS } from "./limits.ts";

const NO_BUCKETS: ExplicitBuckets = { kind: "explicit", bounds: [], counts: [] };

/**
 * Makes explicit buckets, or says what is wrong with them.
 *
 * @param bounds upper ends, to which a last one of +Inf may belong
 * @param counts one more than bounds, or none at all
 * @param count of all observations
 */
export function explicitBuckets(
  bounds: readonly number[],
  counts: readonly number[],
  count: number,
): ExplicitBuckets | Fault {
  if (!isCount(count)) return "bad_count";
  if (counts.length === 0 && bounds.length === 0) return NO_BUCKETS;
  if (counts.length > LIMITS.buckets) return "too_many_buckets";
  if (counts.length !== bounds.length + 1) return "counts_differ";
  for (let place = 0; place < bounds.length; place++) {
    const bound = bounds[place] ?? NaN;
    const isLast = place === bounds.length - 1;
    if (!Number.isFinite(bound) && !(isLast && bound === Infinity)) return "bad_bounds";
    if (place > 0 && bound <= (bounds[place - 1] ?? NaN)) return "bad_bounds";
  }
  if (!counts.every(isCount)) return "bad_count";
  if (!addsUp(sumOf(counts), count)) return "counts_differ";
  if (bounds.at(-1) === Infinity) return withoutInfinity(bounds, counts);
  return bounds.length === 0 ? NO_BUCKETS : { kind: "explicit", bounds, counts };
}

/** Some clients write the last bucket's end, which is always the same. */
function withoutInfinity(bounds: readonly number[], counts: readonly number[]): ExplicitBuckets {
  const last = (counts.at(-1) ?? 0) + (counts.at(-2) ?? 0);
  return bounds.length === 1 ? NO_BUCKETS : {
    kind: "explicit",
    bounds: bounds.slice(0, -1),
    counts: [...counts.slice(0, -2), last],
  };
}

const MIN_SCALE = -10;
const MAX_SCALE = 20;
/** Doubles end at 2^1024, and begin at 2^-1074. */
const MAX_EXPONENT = 1_100;

/**
 * Checks exponential buckets and keeps them few.
 *
 * @returns what is wrong with them, if anything is
 */
export function exponentialBuckets(
  buckets: ExponentialBuckets,
  count: number,
): ExponentialBuckets | Fault {
  const { scale, zeroCount, zeroThreshold, positive, negative } = buckets;
  if (!Number.isInteger(scale) || scale < MIN_SCALE || scale > MAX_SCALE) return "bad_scale";
  if (!isCount(count) || !isCount(zeroCount)) return "bad_count";
  if (!positive.counts.every(isCount) || !negative.counts.every(isCount)) return "bad_count";
  if (!(zeroThreshold >= 0) || zeroThreshold === Infinity) return "not_finite";
  if (isBeyond(positive, scale) || isBeyond(negative, scale)) return "bad_scale";
  const sum = zeroCount + sumOf(positive.counts) + sumOf(negative.counts);
  if (!addsUp(sum, count)) return "counts_differ";
  const filled = Math.max(positive.indexes.length, negative.indexes.length);
  if (filled <= LIMITS.exponentialBuckets) return buckets;
  const coarser = new ExponentialSum(LIMITS.exponentialBuckets);
  coarser.add(buckets);
  return coarser.result();
}

function isBeyond({ indexes }: SparseCounts, scale: number): boolean {
  const limit = MAX_EXPONENT * 2 ** scale + 1;
  return Math.abs(indexes[0] ?? 0) > limit || Math.abs(indexes.at(-1) ?? 0) > limit;
}

/** Counts side by side as sparse ones. @param offset index of the first */
export function sparseCounts(offset: number, dense: readonly number[]): SparseCounts {
  const indexes: number[] = [];
  const counts: number[] = [];
  for (let place = 0; place < dense.length; place++) {
    const count = dense[place] ?? 0;
    if (count === 0) continue;
    indexes.push(offset + place);
    counts.push(count);
  }
  return { indexes, counts };
}

function isCount(value: number): boolean {
  return value >= 0 && value < Infinity;
}

function sumOf(counts: readonly number[]): number {
  let sum = 0;
  for (let place = 0; place < counts.length; place++) sum += counts[place] ?? 0;
  return sum;
}

/** Whole numbers above 2^53, and counts that are fractions, are not exact. */
function addsUp(sum: number, count: number): boolean {
  return sum === count || Math.abs(sum - count) <= 1e-9 * Math.max(sum, count);
}

/** Quantiles are then right to 0.5 %. */
const SCALE = 6;
const NOTHING: SparseCounts = { indexes: [], counts: [] };

/** One observation as a histogram. @param value finite */
export function observationPoint(timeMs: number, value: number): HistogramPoint {
  return {
    timeMs,
    startMs: 0,
    count: 1,
    sum: value,
    min: value,
    max: value,
    buckets: bucketsOf(value),
  };
}

function bucketsOf(value: number): ExponentialBuckets {
  const filled = value === 0 ? NOTHING : { indexes: [indexOf(Math.abs(value))], counts: [1] };
  return {
    kind: "exponential",
    scale: SCALE,
    zeroCount: value === 0 ? 1 : 0,
    zeroThreshold: 0,
    positive: value > 0 ? filled : NOTHING,
    negative: value < 0 ? filled : NOTHING,
  };
}

/** A bucket ends with its upper bound. */
function indexOf(value: number): number {
  return Math.ceil(Math.log2(value) * 2 ** SCALE) - 1;
}
