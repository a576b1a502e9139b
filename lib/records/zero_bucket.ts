import type { ExponentialBuckets, SparseCounts } from "./metric_batch.ts";

/**
 * The same distribution with a wider zero bucket: buckets that lie within the threshold wholly or in part go into it.
 */
export function withZeroThreshold(
  buckets: ExponentialBuckets,
  threshold: number,
): ExponentialBuckets {
  if (threshold <= buckets.zeroThreshold) return buckets;
  const width = 2 ** -buckets.scale;
  // Bucket i begins at 2^(i·width): the first that begins at the threshold or beyond stays.
  const first = Math.ceil(Math.log2(threshold) / width - 1e-9);
  const positive = splitAt(buckets.positive, first);
  const negative = splitAt(buckets.negative, first);
  return {
    ...buckets,
    zeroThreshold: threshold,
    zeroCount: buckets.zeroCount + positive.below + negative.below,
    positive: positive.rest,
    negative: negative.rest,
  };
}

function splitAt({ indexes, counts }: SparseCounts, first: number) {
  const place = indexes.findIndex((index) => index >= first);
  const cut = place === -1 ? indexes.length : place;
  const below = counts.slice(0, cut).reduce((sum, count) => sum + count, 0);
  return { below, rest: { indexes: indexes.slice(cut), counts: counts.slice(cut) } };
}
