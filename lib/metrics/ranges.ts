import type { Buckets, ExponentialBuckets } from "../records/metric_batch.ts";

/** A bucket with something in it. */
export interface BucketRange {
  /** `-Infinity` of the first explicit bucket. */
  readonly from: number;
  /** `Infinity` of the last explicit bucket. */
  readonly to: number;
  readonly count: number;
  /** How observations are taken to lie in it: evenly, or evenly by their logarithm. */
  readonly isLogarithmic: boolean;
}

/** Buckets that are not empty, by ascending values. */
export function bucketRanges(buckets: Buckets): BucketRange[] {
  return buckets.kind === "exponential" ? exponentialRanges(buckets) : explicitRanges(buckets);
}

function explicitRanges(
  { bounds, counts }: { bounds: readonly number[]; counts: readonly number[] },
) {
  const ranges: BucketRange[] = [];
  for (const [place, count] of counts.entries()) {
    if (count <= 0) continue;
    const from = bounds[place - 1] ?? -Infinity;
    const to = bounds[place] ?? Infinity;
    ranges.push({ from, to, count, isLogarithmic: false });
  }
  return ranges;
}

function exponentialRanges(buckets: ExponentialBuckets): BucketRange[] {
  const { scale, zeroCount, zeroThreshold, positive, negative } = buckets;
  const ranges: BucketRange[] = [];
  for (let place = negative.indexes.length - 1; place >= 0; place--) {
    const index = negative.indexes[place] ?? 0;
    const count = negative.counts[place] ?? 0;
    if (count <= 0) continue;
    const from = -boundOf(index + 1, scale);
    ranges.push({ from, to: -boundOf(index, scale), count, isLogarithmic: true });
  }
  if (zeroCount > 0) {
    const from = zeroThreshold === 0 || negative.indexes.length === 0 && positive.indexes.length > 0
      ? 0
      : -zeroThreshold;
    const to = negative.indexes.length > 0 && positive.indexes.length === 0 ? 0 : zeroThreshold;
    ranges.push({ from, to, count: zeroCount, isLogarithmic: false });
  }
  for (const [place, index] of positive.indexes.entries()) {
    const count = positive.counts[place] ?? 0;
    if (count <= 0) continue;
    const to = boundOf(index + 1, scale);
    ranges.push({ from: boundOf(index, scale), to, count, isLogarithmic: true });
  }
  return ranges;
}

/** Where the bucket of an index begins: `base^index`. */
export function boundOf(index: number, scale: number): number {
  return 2 ** (index * 2 ** -scale);
}
