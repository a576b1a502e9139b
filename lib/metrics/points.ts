/** Points of series, column by column, as they are read and computed with. */
import type { Buckets, ExplicitBuckets, Temporality } from "../records/metric_batch.ts";

/** What each point or step of a series has: numbers, or distributions. */
export type Column = Float64Array | readonly Histogram[];

/** Points as they were written: columns of one length, by ascending time. */
export interface RawPoints<Values extends Column> {
  /** Milliseconds since 1970, to the microsecond. */
  readonly times: Float64Array;
  /** 0: unknown. */
  readonly starts: Float64Array;
  readonly values: Values;
}

/** Points of a counter or a gauge. */
export interface RawNumbers extends RawPoints<Float64Array> {
  readonly shape: "number";
  readonly seriesId: string;
  readonly temporality: Temporality;
}

/** Points of a histogram. */
export interface RawHistograms extends RawPoints<readonly Histogram[]> {
  readonly shape: "histogram";
  readonly seriesId: string;
  readonly temporality: Temporality;
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

/** The same series with every column made anew, that of the times as well. */
export function mapColumns<S extends RawSeries | SeriesSteps>(
  series: S,
  columnFrom: (values: Column, name: string) => Column,
): S {
  const entries = Object.entries(series).map(([name, value]) => [
    name,
    typeof value === "string" ? value : columnFrom(value, name),
  ]);
  return Object.fromEntries(entries);
}

/** Some points or steps of a series in a row: from one place on, before another. */
export function sliceOf<S extends RawSeries | SeriesSteps>(series: S, from: number, to: number): S {
  if (from === 0 && to === series.times.length) return series;
  return mapColumns(
    series,
    (values) => values instanceof Float64Array ? values.subarray(from, to) : values.slice(from, to),
  );
}

/** Parts of a series one behind the other; those of another form than the first one are left out. At least one. */
export function joined<S extends RawSeries | SeriesSteps>(parts: readonly S[]): S {
  const [first] = parts;
  if (first === undefined) throw new Error("Cannot join: there is no series");
  if (parts.length === 1) return first;
  if (isRaw(first)) {
    if (first.shape === "number") return joinedNumbers(first, parts) as S;
  } else if (first.kind === "gauge") return joinedGauge(first, parts) as S;
  const alike = parts.filter((part) => formOf(part) === formOf(first));
  return mapColumns(first, (_, name) => {
    const columns = alike.map((part) => (part as unknown as Record<string, Column>)[name] ?? []);
    return columns.every((column) => column instanceof Float64Array)
      ? joinedColumn(columns)
      : columns.flatMap((column) => [...column] as Histogram[]);
  });
}

/** Written out, as the next one: pages read hundreds of thousands of them. */
function joinedNumbers(
  { shape, seriesId, temporality }: RawNumbers,
  parts: readonly (RawSeries | SeriesSteps)[],
): RawNumbers {
  const alike = parts.filter((part) => isRaw(part) && part.shape === "number");
  const times = joinedTimes.of(alike.map((part) => part.times));
  const starts = joinedStarts.of(alike.map((part) => part.starts));
  const values = joinedColumn(alike.map((part) => part.values));
  return { shape, seriesId, temporality, times, starts, values };
}

/** Joins lists, and knows what the last ones became: all series of a scrape have the same. */
class JoinedLast {
  #lists: readonly Float64Array[] = [];
  #joined: Float64Array = new Float64Array();

  of(lists: readonly Float64Array[]): Float64Array {
    const isSame = lists.length === this.#lists.length &&
      lists.every((list, place) => list === this.#lists[place]);
    if (isSame) return this.#joined;
    this.#lists = lists;
    return this.#joined = joinedColumn(lists);
  }
}

const joinedTimes = new JoinedLast();
const joinedStarts = new JoinedLast();

function joinedGauge(
  { kind, seriesId }: GaugeSteps,
  parts: readonly (RawSeries | SeriesSteps)[],
): GaugeSteps {
  let length = 0;
  for (const part of parts) if ("lasts" in part) length += part.times.length;
  const times = newColumn(length);
  const counts = newColumn(length);
  const sums = newColumn(length);
  const mins = newColumn(length);
  const maxs = newColumn(length);
  const lasts = newColumn(length);
  let at = 0;
  for (const part of parts) {
    if (!("lasts" in part)) continue;
    times.set(part.times, at);
    counts.set(part.counts, at);
    sums.set(part.sums, at);
    mins.set(part.mins, at);
    maxs.set(part.maxs, at);
    lasts.set(part.lasts, at);
    at += part.times.length;
  }
  return { kind, seriesId, times, counts, sums, mins, maxs, lasts };
}

function formOf(series: RawSeries | SeriesSteps): string {
  return isRaw(series) ? `raw ${series.shape}` : series.kind;
}

/** One column after the other. */
function joinedColumn(columns: readonly Float64Array[]): Float64Array {
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
