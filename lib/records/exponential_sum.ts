import type { ExponentialBuckets, SparseCounts } from "./metric_batch.ts";
import { downscaled, downscaledIndex, excessScale } from "./downscale.ts";
import { withZeroThreshold } from "./zero_bucket.ts";

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
