/** Which step points belong to. */
import type { MetricKind } from "../records/metric_batch.ts";
import { newColumn } from "./list_column.ts";

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
export function isWithin(kind: MetricKind, timeMs: number, startMs: number, endMs: number) {
  return kind === "gauge"
    ? timeMs >= startMs && timeMs < endMs
    : timeMs > startMs && timeMs <= endMs;
}

/** The beginning of the step that a point belongs to. */
export function stepOf(kind: MetricKind, timeMs: number, stepMs: number, originMs: number): number {
  const steps = (timeMs - originMs) / stepMs;
  return originMs + stepMs * (kind === "gauge" ? Math.floor(steps) : Math.ceil(steps) - 1);
}

/** @param pointTimes ascending; those out of the range belong to no run */
export function stepRuns(
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
export function placesWithin(
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
