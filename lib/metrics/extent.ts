import type { Buckets, ExponentialBuckets, SparseCounts } from "../records/metric_batch.ts";
import { bucketRanges } from "./ranges.ts";

/**
 * The lowest value that may have been observed, by the buckets; null when they do not say. The first explicit bucket
 * begins at 0 when it ends above.
 */
export function lowestOf(buckets: Buckets): number | null {
  if (buckets.kind === "exponential") return bucketRanges(ends(buckets))[0]?.from ?? null;
  const { bounds, counts } = buckets;
  const first = counts.findIndex((count) => count > 0);
  if (first === -1) return null;
  if (first > 0) return bounds[first - 1] ?? null;
  const [to] = bounds;
  return to === undefined ? null : Math.min(to, 0);
}

/** The highest value that may have been observed, by the buckets; of the last explicit one where it begins. */
export function highestOf(buckets: Buckets): number | null {
  if (buckets.kind === "exponential") return bucketRanges(ends(buckets)).at(-1)?.to ?? null;
  const { bounds, counts } = buckets;
  const last = counts.findLastIndex((count) => count > 0);
  return last === -1 ? null : bounds[last] ?? bounds[last - 1] ?? null;
}

/** Only the outermost buckets with anything in them decide. */
function ends(buckets: ExponentialBuckets): ExponentialBuckets {
  return {
    ...buckets,
    positive: outermost(buckets.positive),
    negative: outermost(buckets.negative),
  };
}

function outermost({ indexes, counts }: SparseCounts): SparseCounts {
  const first = counts.findIndex((count) => count > 0);
  if (first === -1) return { indexes: [], counts: [] };
  const last = counts.findLastIndex((count) => count > 0);
  const places = first === last ? [first] : [first, last];
  return {
    indexes: places.map((place) => indexes[place] ?? 0),
    counts: places.map((place) => counts[place] ?? 0),
  };
}
