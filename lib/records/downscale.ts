import type { ExponentialBuckets, SparseCounts } from "./metric_batch.ts";

/** Buckets coarser by `by` powers of two: index `i` goes into `i >> by`. */
function downscaledCounts(
  { indexes, counts }: SparseCounts,
  by: number,
): SparseCounts {
  if (by === 0) return { indexes, counts };
  const coarse: { indexes: number[]; counts: number[] } = { indexes: [], counts: [] };
  for (const [place, index] of indexes.entries()) {
    const target = downscaledIndex(index, by);
    const count = counts[place] ?? 0;
    const last = coarse.indexes.length - 1;
    if (last >= 0 && coarse.indexes[last] === target) {
      coarse.counts[last] = (coarse.counts[last] ?? 0) + count;
    } else {
      coarse.indexes.push(target);
      coarse.counts.push(count);
    }
  }
  return coarse;
}

/** Not `>>`, whose distance wraps at 32. */
export function downscaledIndex(index: number, by: number): number {
  return Math.floor(index / 2 ** by);
}

/**
 * The same distribution at a coarser scale.
 *
 * @param scale at most that of the buckets; a higher one leaves them as they are
 */
export function downscaled(buckets: ExponentialBuckets, scale: number): ExponentialBuckets {
  const by = buckets.scale - scale;
  if (by <= 0) return buckets;
  return {
    ...buckets,
    scale,
    positive: downscaledCounts(buckets.positive, by),
    negative: downscaledCounts(buckets.negative, by),
  };
}

/** By how many powers of two buckets are to be coarser, so that at most `limit` of them lie side by side. */
export function excessScale(span: { first: number; last: number }, limit: number): number {
  let by = 0;
  while (downscaledIndex(span.last, by) - downscaledIndex(span.first, by) >= limit) by++;
  return by;
}
