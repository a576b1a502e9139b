import type { Buckets, ExplicitBuckets } from "../records/metric_batch.ts";

/** A distribution of observations, as a point has it or as many points make it together. */
export interface Histogram {
  readonly count: number;
  /** Null: not known of all of them. */
  readonly sum: number | null;
  readonly min: number | null;
  readonly max: number | null;
  readonly buckets: Buckets;
}

export const NO_BUCKETS: ExplicitBuckets = { kind: "explicit", bounds: [], counts: [] };

/** Nothing was observed. */
export const EMPTY_HISTOGRAM: Histogram = {
  count: 0,
  sum: 0,
  min: null,
  max: null,
  buckets: NO_BUCKETS,
};

/** Whether two lists of bounds make the same buckets. */
export function areSameBounds(some: readonly number[], others: readonly number[]): boolean {
  return some === others ||
    some.length === others.length && some.every((bound, place) => bound === others[place]);
}
