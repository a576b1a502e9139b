/** Points of series, column by column, as they are read and computed with. */
import type {
  Buckets,
  ExplicitBuckets,
  HistogramPoint,
  Temporality,
} from "../records/metric_batch.ts";

/** Lists of one length, by ascending time. */
export interface NumberColumns {
  /** Milliseconds since 1970, to the microsecond. */
  readonly times: Float64Array;
  /** 0: unknown. */
  readonly starts: Float64Array;
  readonly values: Float64Array;
}

/** Points of a counter or a gauge as they were written. */
export interface RawNumbers extends NumberColumns {
  readonly shape: "number";
  readonly seriesId: string;
  readonly temporality: Temporality;
}

/** Points of a histogram as they were written, by ascending time. */
export interface RawHistograms {
  readonly shape: "histogram";
  readonly seriesId: string;
  readonly temporality: Temporality;
  readonly points: readonly HistogramPoint[];
}

export type RawSeries = RawNumbers | RawHistograms;

/** What a counter grew by in each step that has a point; 0 where it has points but is not known to have grown. */
export interface CounterSteps {
  readonly kind: "counter";
  readonly seriesId: string;
  /** Beginnings of the steps, ascending. */
  readonly times: Float64Array;
  readonly increases: Float64Array;
}

/** What a gauge was in each step that has a point. */
export interface GaugeSteps {
  readonly kind: "gauge";
  readonly seriesId: string;
  readonly times: Float64Array;
  /** Points, at least 1. */
  readonly counts: Float64Array;
  readonly sums: Float64Array;
  readonly mins: Float64Array;
  readonly maxs: Float64Array;
  readonly lasts: Float64Array;
}

/** What was observed in each step that has a point; of count 0 where nothing is known to have been. */
export interface HistogramSteps {
  readonly kind: "histogram";
  readonly seriesId: string;
  readonly times: Float64Array;
  readonly histograms: readonly Histogram[];
}

/** A series added up by step: a minute, an hour, or what somebody asks for. */
export type SeriesSteps = CounterSteps | GaugeSteps | HistogramSteps;

/** Whether a series of a block has points as they were written, and not steps. */
export function isRaw(series: RawSeries | SeriesSteps): series is RawSeries {
  return "shape" in series;
}

/** Adds a part of a series to those that are known of it. */
export function addPart<S extends { readonly seriesId: string }>(
  parts: Map<string, S[]>,
  part: S,
): void {
  const known = parts.get(part.seriesId);
  if (known === undefined) parts.set(part.seriesId, [part]);
  else known.push(part);
}

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

/** So many numbers are taken from the system at once. */
const POOL = 65_536;
/** What is longer has a buffer of its own. */
const MAX_POOLED = POOL / 32;
let pool = new Float64Array();
let taken = 0;

/** A column of zeros. Short ones share a buffer: one for each takes ten times as long to make. */
export function newColumn(length: number): Float64Array {
  if (length > MAX_POOLED) return new Float64Array(length);
  if (taken + length > pool.length) {
    pool = new Float64Array(POOL);
    taken = 0;
  }
  taken += length;
  return pool.subarray(taken - length, taken);
}

/** `Float64Array.from()` with a function takes many times as long. */
export function columnOf<T>(list: readonly T[], valueOf: (item: T) => number): Float64Array {
  const column = newColumn(list.length);
  for (let place = 0; place < list.length; place++) {
    const item = list[place];
    if (item !== undefined) column[place] = valueOf(item);
  }
  return column;
}

/** One column after the other. */
export function joinedColumn(columns: readonly Float64Array[]): Float64Array {
  let length = 0;
  for (const column of columns) length += column.length;
  const all = newColumn(length);
  let at = 0;
  for (const column of columns) {
    all.set(column, at);
    at += column.length;
  }
  return all;
}
