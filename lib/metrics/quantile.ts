import type { ExplicitBuckets, ExponentialBuckets } from "../records/metric_batch.ts";
import type { Histogram } from "./histogram.ts";
import { type BucketRange, bucketRanges } from "./ranges.ts";

/**
 * The value that a share of the observations does not exceed, as Prometheus' `histogram_quantile` has it: linear within
 * explicit buckets, by the logarithm within exponential ones.
 *
 * @param share 0 to 1
 * @returns null when no buckets tell
 */
export function quantileOf(histogram: Histogram, share: number): number | null {
  const { buckets, min, max } = histogram;
  const value = buckets.kind === "exponential"
    ? exponentialQuantile(buckets, share)
    : explicitQuantile(buckets, max, share);
  if (value === null) return null;
  return Math.min(Math.max(value, min ?? -Infinity), max ?? Infinity);
}

function explicitQuantile(
  { bounds, counts }: ExplicitBuckets,
  max: number | null,
  share: number,
): number | null {
  const total = counts.reduce((sum, count) => sum + count, 0);
  const highest = bounds.at(-1);
  if (!(total > 0) || highest === undefined) return null;
  const rank = share * total;
  let before = 0;
  let place = 0;
  for (; place < bounds.length; place++) {
    const count = counts[place] ?? 0;
    // Prometheus' test data has a rank of 0 fall into the first bucket, empty or not.
    if (before + count >= rank) break;
    before += count;
  }
  const to = bounds[place];
  if (to === undefined) return Math.max(highest, max ?? highest);
  if (place === 0 && to <= 0) return to;
  const from = place === 0 ? 0 : bounds[place - 1] ?? 0;
  const count = counts[place] ?? 0;
  return count === 0 ? from : from + (to - from) * ((rank - before) / count);
}

/** From the nearer end, so that a rank between two buckets is at the beginning of the next one. */
function exponentialQuantile(buckets: ExponentialBuckets, share: number): number | null {
  const ranges = bucketRanges(buckets);
  const total = ranges.reduce((sum, { count }) => sum + count, 0);
  if (!(total > 0)) return null;
  const isFromBelow = share < 0.5;
  let left = (isFromBelow ? share : 1 - share) * total;
  const ordered = isFromBelow ? ranges : ranges.toReversed();
  for (const [place, range] of ordered.entries()) {
    if (left <= range.count || place === ordered.length - 1) {
      const part = Math.min(left / range.count, 1);
      return within(range, isFromBelow ? part : 1 - part);
    }
    left -= range.count;
  }
  return null;
}

/** The value that a share of a bucket lies below. */
function within({ from, to, isLogarithmic }: BucketRange, share: number): number {
  if (!isLogarithmic) return from + (to - from) * share;
  return from * (to / from) ** share;
}
