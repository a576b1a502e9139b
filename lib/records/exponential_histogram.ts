import type { ExponentialBuckets, SparseCounts } from "./metric_batch.ts";

/** Buckets a side; scales go down rather than beyond. */
export const MAX_BUCKETS = 160;

/** Adds exponential buckets up, at the coarsest scale and with the widest zero bucket among them. */
export class ExponentialSum {
  #scale = Infinity;
  #zeroThreshold = 0;
  #zeroCount = 0;
  readonly #positive = new DenseCounts();
  readonly #negative = new DenseCounts();

  /** @param maxBuckets a side */
  constructor(readonly maxBuckets: number = MAX_BUCKETS) {}

  add(buckets: ExponentialBuckets): void {
    if (buckets.zeroThreshold > this.#zeroThreshold) this.#widenZero(buckets.zeroThreshold);
    const widened = withZeroThreshold(buckets, this.#zeroThreshold);
    const scale = Math.min(this.#scale, widened.scale);
    this.#rescale(scale);
    this.#zeroCount += widened.zeroCount;
    const { positive, negative } = downscaled(widened, scale);
    this.#fit(positive, negative);
    const by = scale - this.#scale;
    this.#positive.add(positive, by);
    this.#negative.add(negative, by);
  }

  result(): ExponentialBuckets {
    return {
      kind: "exponential",
      scale: Number.isFinite(this.#scale) ? this.#scale : 0,
      zeroThreshold: this.#zeroThreshold,
      zeroCount: this.#zeroCount,
      positive: this.#positive.sparse(),
      negative: this.#negative.sparse(),
    };
  }

  #widenZero(threshold: number): void {
    const widened = withZeroThreshold(this.result(), threshold);
    this.#zeroThreshold = threshold;
    this.#zeroCount = widened.zeroCount;
    this.#positive.replace(widened.positive);
    this.#negative.replace(widened.negative);
  }

  #rescale(scale: number): void {
    const by = this.#scale - scale;
    if (Number.isFinite(by) && by > 0) {
      this.#positive.downscale(by);
      this.#negative.downscale(by);
    }
    this.#scale = scale;
  }

  /** Makes room for more by going to a coarser scale. */
  #fit(positive: SparseCounts, negative: SparseCounts): void {
    const by = Math.max(
      excessScale(this.#positive.spanWith(positive), this.maxBuckets),
      excessScale(this.#negative.spanWith(negative), this.maxBuckets),
    );
    if (by > 0) this.#rescale(this.#scale - by);
  }
}

/** Counts side by side from an index on. */
class DenseCounts {
  #first = 0;
  #counts: number[] = [];

  /** The indexes that these counts and others take together; one of them when there are none. */
  spanWith({ indexes }: SparseCounts): { first: number; last: number } {
    const ends = [indexes[0], indexes.at(-1)].filter((index) => index !== undefined);
    if (this.#counts.length > 0) ends.push(this.#first, this.#first + this.#counts.length - 1);
    return ends.length === 0
      ? { first: 0, last: 0 }
      : { first: Math.min(...ends), last: Math.max(...ends) };
  }

  /** @param by how many powers of two finer than this list the counts are */
  add({ indexes, counts }: SparseCounts, by: number): void {
    if (indexes.length === 0) return;
    if (this.#counts.length === 0) this.#first = downscaledIndex(indexes[0] ?? 0, by);
    for (let place = 0; place < indexes.length; place++) {
      const index = downscaledIndex(indexes[place] ?? 0, by);
      if (index < this.#first) this.#extendDown(index);
      const target = index - this.#first;
      while (this.#counts.length <= target) this.#counts.push(0);
      this.#counts[target] = (this.#counts[target] ?? 0) + (counts[place] ?? 0);
    }
  }

  downscale(by: number): void {
    const { indexes, counts } = this.sparse();
    this.#counts = [];
    this.add({ indexes, counts }, by);
  }

  replace(counts: SparseCounts): void {
    this.#counts = [];
    this.add(counts, 0);
  }

  sparse(): SparseCounts {
    const indexes: number[] = [];
    const counts: number[] = [];
    for (const [place, count] of this.#counts.entries()) {
      if (count === 0) continue;
      indexes.push(this.#first + place);
      counts.push(count);
    }
    return { indexes, counts };
  }

  #extendDown(index: number): void {
    const missing = Array.from({ length: this.#first - index }, () => 0);
    this.#counts = [...missing, ...this.#counts];
    this.#first = index;
  }
}

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
function downscaledIndex(index: number, by: number): number {
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
function excessScale(span: { first: number; last: number }, limit: number): number {
  let by = 0;
  while (downscaledIndex(span.last, by) - downscaledIndex(span.first, by) >= limit) by++;
  return by;
}

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
