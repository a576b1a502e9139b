import type { Buckets, ExponentialBuckets, SparseCounts } from "../records/metric_batch.ts";
import { downscaled } from "../records/downscale.ts";
import { areSameBounds, type Histogram } from "./histogram.ts";
import { withZeroThreshold } from "../records/zero_bucket.ts";

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
