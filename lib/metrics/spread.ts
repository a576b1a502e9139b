import type { ExponentialBuckets } from "../records/metric_batch.ts";
import { type BucketRange, bucketRanges } from "./ranges.ts";

/**
 * Exponential counts in explicit buckets: those of a bucket that lies across bounds are taken to lie evenly in it, by
 * their logarithm. Counts may become fractions; their sum stays.
 *
 * @returns one more than bounds
 */
export function spreadOver(buckets: ExponentialBuckets, bounds: readonly number[]): number[] {
  const counts = Array.from({ length: bounds.length + 1 }, () => 0);
  let first = 0;
  for (const range of bucketRanges(buckets)) {
    while (first < bounds.length && (bounds[first] ?? Infinity) <= range.from) first++;
    let reached = 0;
    for (let place = first; reached < 1; place++) {
      const share = shareBelow(range, bounds[place] ?? Infinity);
      counts[place] = (counts[place] ?? 0) + range.count * (share - reached);
      reached = share;
    }
  }
  return counts;
}

/** Which share of a bucket lies at a value or below, 0 to 1. */
function shareBelow({ from, to, isLogarithmic }: BucketRange, value: number): number {
  if (value >= to) return 1;
  if (value <= from) return 0;
  return isLogarithmic
    ? Math.log(value / from) / Math.log(to / from)
    : (value - from) / (to - from);
}
