/**
 * How the time of points is divided: for storing into slots of two hours, and rollups by hour into days; for questions into
 * steps. In UTC.
 */
import { DAY_MS, HOUR_MS } from "../core/time.ts";
import type { MetricKind, Temporality } from "../records/metric_batch.ts";
import { joined, newColumn, type RawSeries, type SeriesSteps, sliceOf } from "./points.ts";

export const SLOT_MS = 2 * HOUR_MS;

/** As in `metric_blocks`. */
export const TIER = { raw: 0, minute: 1, hour: 2 } as const;
export type Tier = keyof typeof TIER;

/** As in `metric_slots`. */
export const LEVEL = { slot: 1, day: 2 } as const;

/** The length of a tier's slots. */
export function slotLength(tier: Tier): number {
  return tier === "hour" ? DAY_MS : SLOT_MS;
}

/** The beginning of the slot that a point is kept in. Counters and histograms grow up to a point. */
export function slotOf(kind: MetricKind, timeMs: number): number {
  return stepOf(kind, timeMs, SLOT_MS, 0);
}

export function dayOf(timeMs: number): number {
  return Math.floor(timeMs / DAY_MS) * DAY_MS;
}

/** Which steps points are added up by, and which of them are wanted. */
export interface StepRange {
  readonly stepMs: number;
  /** Steps begin here and at whole multiples of their length from here. */
  readonly originMs: number;
  readonly startMs: number;
  readonly endMs: number;
}

/** Points in a row that belong to one step: run `i` is those from place `edges[i]` on, before `edges[i + 1]`. */
export interface StepRuns {
  /** Beginnings of the steps. */
  readonly times: Float64Array;
  /** One more than times. */
  readonly edges: Uint32Array;
}

/** `[start, end)` for gauges; counters and histograms grow up to a point, so theirs is `(start, end]`. */
function isWithin(kind: MetricKind, timeMs: number, startMs: number, endMs: number) {
  return kind === "gauge"
    ? timeMs >= startMs && timeMs < endMs
    : timeMs > startMs && timeMs <= endMs;
}

/** The beginning of the step that a point belongs to. */
function stepOf(kind: MetricKind, timeMs: number, stepMs: number, originMs: number): number {
  const steps = (timeMs - originMs) / stepMs;
  return originMs + stepMs * (kind === "gauge" ? Math.floor(steps) : Math.ceil(steps) - 1);
}

/** Runs of lists of times, which all series of a scrape share, with the range that they were made for. */
const knownRuns = new WeakMap<Float64Array, { readonly key: string; readonly runs: StepRuns }>();
/** Shorter ones are made as fast as they are found. */
const SHORT = 8;

/** @param pointTimes ascending, never changed; those out of the range belong to no run */
export function stepRuns(
  kind: MetricKind,
  pointTimes: Float64Array,
  range: StepRange,
): StepRuns {
  if (pointTimes.length < SHORT) return newRuns(kind, pointTimes, range);
  const { stepMs, originMs, startMs, endMs } = range;
  const key = `${kind} ${stepMs} ${originMs} ${startMs} ${endMs}`;
  const known = knownRuns.get(pointTimes);
  if (known?.key === key) return known.runs;
  const runs = newRuns(kind, pointTimes, range);
  knownRuns.set(pointTimes, { key, runs });
  return runs;
}

function newRuns(
  kind: MetricKind,
  pointTimes: Float64Array,
  { stepMs, originMs, startMs, endMs }: StepRange,
): StepRuns {
  const { from, to } = placesWithin(kind, pointTimes, startMs, endMs);
  const times = newColumn(to - from);
  const edges = new Uint32Array(to - from + 1);
  let count = 0;
  for (let place = from; place < to; place++) {
    const timeMs = pointTimes[place] ?? 0;
    const last = times[count - 1] ?? 0;
    if (count > 0 && isWithin(kind, timeMs, last, last + stepMs)) continue;
    times[count] = stepOf(kind, timeMs, stepMs, originMs);
    edges[count] = place;
    count++;
  }
  edges[count] = to;
  return { times: times.subarray(0, count), edges: edges.subarray(0, count + 1) };
}

/** The places whose times lie within a stretch: from one on, before another. */
function placesWithin(
  kind: MetricKind,
  times: Float64Array,
  startMs: number,
  endMs: number,
): { readonly from: number; readonly to: number } {
  let from = 0;
  while (from < times.length && !isWithin(kind, times[from] ?? 0, startMs, endMs)) from++;
  let to = times.length;
  while (to > from && !isWithin(kind, times[to - 1] ?? 0, startMs, endMs)) to--;
  return { from, to };
}

/** A number for each run. */
export function eachRun(
  { edges }: StepRuns,
  valueOf: (from: number, to: number) => number,
): Float64Array {
  const values = newColumn(edges.length - 1);
  for (let run = 0; run < values.length; run++) {
    values[run] = valueOf(edges[run] ?? 0, edges[run + 1] ?? 0);
  }
  return values;
}

export function sumOf(values: Float64Array, from: number, to: number): number {
  let sum = 0;
  for (let place = from; place < to; place++) sum += values[place] ?? 0;
  return sum;
}

export function minOf(values: Float64Array, from: number, to: number): number {
  let min = Infinity;
  for (let place = from; place < to; place++) min = Math.min(min, values[place] ?? Infinity);
  return min;
}

export function maxOf(values: Float64Array, from: number, to: number): number {
  let max = -Infinity;
  for (let place = from; place < to; place++) max = Math.max(max, values[place] ?? -Infinity);
  return max;
}

/**
 * Joins what was stored of one series, by time. Of two points at one time the one that came later stays; observed ones
 * all stay, since each tells of something else.
 *
 * @param parts in the order in which they came, at least one
 */
export function mergeRaw(parts: readonly RawSeries[]): RawSeries {
  const series = joined(parts);
  const order = orderOf(series.times, series.temporality);
  if (order.places === null) return series;
  const { places, times } = order;
  if (series.shape === "histogram") {
    const values = Array.from(places).flatMap((place) => series.values[place] ?? []);
    return { ...series, times, starts: inOrder(series.starts, places), values };
  }
  const { starts } = series;
  if (starts !== order.starts?.from) order.starts = { from: starts, to: inOrder(starts, places) };
  return { ...series, times, starts: order.starts.to, values: inOrder(series.values, places) };
}

/** By time, without those that come again. */
interface Order {
  readonly of: Float64Array;
  readonly temporality: Temporality;
  /** Null: as they are. */
  readonly places: Uint32Array | null;
  readonly times: Float64Array;
  /** What the last starts became. */
  starts: { readonly from: Float64Array; readonly to: Float64Array } | null;
}

/** The last one: all series of a scrape have the same times. */
let lastOrder: Order | null = null;

/** Of two points at one time the last stays, of observed ones all. @param times never changed */
function orderOf(times: Float64Array, temporality: Temporality): Order {
  if (lastOrder?.of === times && lastOrder.temporality === temporality) return lastOrder;
  const of = { of: times, temporality, starts: null };
  if (isAscending(times)) return lastOrder = { ...of, places: null, times };
  const sorted = Uint32Array.from(times.keys())
    .sort((one, other) => (times[one] ?? 0) - (times[other] ?? 0));
  const places = temporality === "observed"
    ? sorted
    : sorted.filter((place, rank) => times[sorted[rank + 1] ?? NaN] !== times[place]);
  return lastOrder = { ...of, places, times: inOrder(times, places) };
}

function inOrder(values: Float64Array, places: Uint32Array): Float64Array {
  const ordered = newColumn(places.length);
  for (let at = 0; at < ordered.length; at++) ordered[at] = values[places[at] ?? 0] ?? 0;
  return ordered;
}

/** Strictly: then there are no repeats either. */
function isAscending(times: Float64Array): boolean {
  for (let place = 1; place < times.length; place++) {
    if ((times[place - 1] ?? 0) >= (times[place] ?? 0)) return false;
  }
  return true;
}

/** The points or steps that lie within a time; see {@linkcode isWithin} for its edges. */
export function clip<S extends RawSeries | SeriesSteps>(
  series: S,
  kind: MetricKind,
  startMs: number,
  endMs: number,
): S {
  const { from, to } = placesWithin(kind, series.times, startMs, endMs);
  return sliceOf(series, from, to);
}
