import type { Buckets } from "../records/metric_batch.ts";
import { ExplicitSum } from "./explicit_sum.ts";
import { ExponentialSum, MAX_BUCKETS } from "../records/exponential_sum.ts";
import { EMPTY_HISTOGRAM, type Histogram } from "./histogram.ts";
import { highestOf, lowestOf } from "./extent.ts";
import { spreadOver } from "./spread.ts";

/**
 * Adds histograms up: the same as though all had been observed in one. Those without buckets add to count and sum.
 */
export class HistogramSum {
  #count = 0;
  #sum: number | null = 0;
  #min = Infinity;
  #max = -Infinity;
  #areExtremesKnown = true;
  #explicit: ExplicitSum | null = null;
  #exponential: ExponentialSum | null = null;

  /** @param maxBuckets of exponential histograms, a side */
  constructor(readonly maxBuckets: number = MAX_BUCKETS) {}

  /** How many observations. */
  get count(): number {
    return this.#count;
  }

  /** Of all observations; null when some histogram came without. */
  get sum(): number | null {
    return this.#sum;
  }

  /** Whether bounds differed, so that the sum has fewer of them. */
  get isCoarsened(): boolean {
    return this.#explicit?.isCoarsened === true ||
      this.#explicit !== null && this.#exponential !== null;
  }

  add(histogram: Histogram): void {
    if (histogram.count === 0) return;
    this.#count += histogram.count;
    this.#sum = this.#sum === null || histogram.sum === null ? null : this.#sum + histogram.sum;
    this.#addExtremes(histogram);
    this.#addBuckets(histogram.buckets);
  }

  /** With the lowest and highest that are known, or else may be by the buckets. */
  result(): Histogram {
    if (this.#count === 0) return EMPTY_HISTOGRAM;
    const buckets = this.#buckets();
    return { count: this.#count, sum: this.#sum, ...this.#extremes(buckets), buckets };
  }

  #addExtremes({ min, max }: Histogram): void {
    if (min === null || max === null) this.#areExtremesKnown = false;
    if (min !== null && min < this.#min) this.#min = min;
    if (max !== null && max > this.#max) this.#max = max;
  }

  #extremes(buckets: Buckets): Pick<Histogram, "min" | "max"> {
    const isWhole = this.#areExtremesKnown;
    const min = Math.min(this.#min, isWhole ? Infinity : lowestOf(buckets) ?? Infinity);
    const max = Math.max(this.#max, isWhole ? -Infinity : highestOf(buckets) ?? -Infinity);
    return {
      min: Number.isFinite(min) ? min : null,
      max: Number.isFinite(max) ? max : null,
    };
  }

  #addBuckets(buckets: Buckets): void {
    if (buckets.kind === "exponential") {
      (this.#exponential ??= new ExponentialSum(this.maxBuckets)).add(buckets);
    } else if (buckets.bounds.length > 0) {
      (this.#explicit ??= new ExplicitSum()).add(buckets);
    }
  }

  /** Exponential counts go into explicit buckets when there are both. */
  #buckets(): Buckets {
    const explicit = this.#explicit?.result();
    const exponential = this.#exponential?.result();
    if (explicit === undefined) return exponential ?? EMPTY_HISTOGRAM.buckets;
    if (exponential === undefined) return explicit;
    const spread = spreadOver(exponential, explicit.bounds);
    return {
      ...explicit,
      counts: explicit.counts.map((count, place) => count + (spread[place] ?? 0)),
    };
  }
}

/** Several histograms as one. */
export function mergeHistograms(histograms: Iterable<Histogram>): Histogram {
  const sum = new HistogramSum();
  for (const histogram of histograms) sum.add(histogram);
  return sum.result();
}
