import { ExponentialSum, MAX_BUCKETS } from "../records/exponential_histogram.ts";
import type {
  Buckets,
  ExplicitBuckets,
  ExponentialBuckets,
  SparseCounts,
} from "../records/metric_batch.ts";
import { areSameBounds, EMPTY_HISTOGRAM, type Histogram, NO_BUCKETS } from "./points.ts";

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

/** The histograms of each run as one. @param edges as `StepRuns` has them */
export function mergedRuns(parts: readonly Histogram[], edges: Uint32Array): Histogram[] {
  const histograms: Histogram[] = [];
  for (let run = 0; run < edges.length - 1; run++) {
    histograms.push(mergedPart(parts.slice(edges[run], edges[run + 1])));
  }
  return histograms;
}

function mergedPart(parts: readonly Histogram[]): Histogram {
  const [first] = parts;
  if (parts.length === 1 && first !== undefined) return first;
  const result = mergeHistograms(parts);
  // What buckets tell of extremes they tell later as well.
  return parts.some(({ min, max }) => min !== null || max !== null)
    ? result
    : { ...result, min: null, max: null };
}

/**
 * Adds explicit buckets up. Where bounds differ, the sum has those that all of them have: each count still lies between
 * bounds that it was counted between, so nothing is guessed.
 */
class ExplicitSum {
  #bounds: readonly number[] | null = null;
  #counts: number[] = [];
  #isCoarsened = false;

  /** Whether some of what was added had other bounds than the rest. */
  get isCoarsened(): boolean {
    return this.#isCoarsened;
  }

  add({ bounds, counts }: ExplicitBuckets): void {
    if (this.#bounds === null) {
      this.#bounds = bounds;
      this.#counts = [...counts];
    } else if (areSameBounds(this.#bounds, bounds)) {
      addTo(this.#counts, counts);
    } else {
      const others = new Set(bounds);
      const common = this.#bounds.filter((bound) => others.has(bound));
      this.#counts = coarsened(this.#bounds, this.#counts, common);
      addTo(this.#counts, coarsened(bounds, counts, common));
      this.#bounds = common;
      this.#isCoarsened = true;
    }
  }

  result(): ExplicitBuckets {
    return this.#bounds === null
      ? NO_BUCKETS
      : { kind: "explicit", bounds: this.#bounds, counts: [...this.#counts] };
  }
}

function addTo(counts: number[], more: readonly number[]): void {
  for (let place = 0; place < counts.length; place++) {
    counts[place] = (counts[place] ?? 0) + (more[place] ?? 0);
  }
}

/** @param common a part of `bounds`, in its order */
function coarsened(
  bounds: readonly number[],
  counts: readonly number[],
  common: readonly number[],
): number[] {
  const sums = Array.from({ length: common.length + 1 }, () => 0);
  let target = 0;
  for (const [place, count] of counts.entries()) {
    sums[target] = (sums[target] ?? 0) + count;
    if (target < common.length && bounds[place] === common[target]) target++;
  }
  return sums;
}

/**
 * The lowest value that may have been observed, by the buckets; null when they do not say. The first explicit bucket
 * begins at 0 when it ends above.
 */
function lowestOf(buckets: Buckets): number | null {
  if (buckets.kind === "exponential") return bucketRanges(ends(buckets))[0]?.from ?? null;
  const { bounds, counts } = buckets;
  const first = counts.findIndex((count) => count > 0);
  if (first === -1) return null;
  if (first > 0) return bounds[first - 1] ?? null;
  const [to] = bounds;
  return to === undefined ? null : Math.min(to, 0);
}

/** The highest value that may have been observed, by the buckets; of the last explicit one where it begins. */
function highestOf(buckets: Buckets): number | null {
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

/** A bucket with something in it. */
interface BucketRange {
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
