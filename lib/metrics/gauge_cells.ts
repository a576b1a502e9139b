/** What gauges are in their steps: whoever adds points or shorter steps up does it by these. */
import { decimalsOf, scaleOf } from "./codec/columns.ts";
import { newColumn } from "./points.ts";
import { maxOf, minOf, sumOf } from "./slots.ts";

/** A column for each thing that is told of a step; those of several series may stand one behind the other. */
export interface GaugeCells {
  /** Points, at least 1; 0: there is no such step. */
  readonly counts: Float64Array;
  readonly sums: Float64Array;
  readonly mins: Float64Array;
  readonly maxs: Float64Array;
  readonly lasts: Float64Array;
}

export type GaugeColumn = keyof GaugeCells;

export function newCells(length: number): GaugeCells {
  return {
    counts: newColumn(length),
    sums: newColumn(length),
    mins: newColumn(length),
    maxs: newColumn(length),
    lasts: newColumn(length),
  };
}

/**
 * Adds points up by step, in one pass.
 *
 * @param values of a series, times `power`
 * @param power what to divide by, when `values` are whole numbers; 0: they are as they were written
 * @param edges as {@linkcode StepRuns} has them
 * @param at where the first step goes
 */
export function foldPoints(
  values: Float64Array,
  power: number,
  edges: Uint32Array,
  { counts, sums, mins, maxs, lasts }: GaugeCells,
  at: number,
): void {
  const digits = power === 0 ? scaleOf(values) : 0;
  const divisor = power === 0 ? 1 : power;
  let to = edges[0] ?? 0;
  for (let run = 1, cell = at; run < edges.length; run++, cell++) {
    const from = to;
    to = edges[run] ?? 0;
    let sum = 0;
    let min = Infinity;
    let max = -Infinity;
    let value = 0;
    for (let place = from; place < to; place++) {
      value = values[place] ?? 0;
      sum += value;
      if (value < min) min = value;
      if (value > max) max = value;
    }
    counts[cell] = to - from;
    sums[cell] = decimalsOf(sum, digits) / divisor;
    mins[cell] = min / divisor;
    maxs[cell] = max / divisor;
    lasts[cell] = value / divisor;
  }
}

/** As {@linkcode foldPoints}, without the lowest and the highest. */
export function foldSums(
  values: Float64Array,
  power: number,
  edges: Uint32Array,
  { counts, sums, lasts }: GaugeCells,
  at: number,
): void {
  const digits = power === 0 ? scaleOf(values) : 0;
  const divisor = power === 0 ? 1 : power;
  let to = edges[0] ?? 0;
  for (let run = 1, cell = at; run < edges.length; run++, cell++) {
    const from = to;
    to = edges[run] ?? 0;
    counts[cell] = to - from;
    sums[cell] = decimalsOf(sumOf(values, from, to), digits) / divisor;
    lasts[cell] = (values[to - 1] ?? 0) / divisor;
  }
}

/** Joins shorter steps of a series into longer ones; see {@linkcode foldPoints}. */
export function foldSteps(
  steps: GaugeCells,
  edges: Uint32Array,
  { counts, sums, mins, maxs, lasts }: GaugeCells,
  at: number,
): void {
  const digits = scaleOf(steps.sums);
  let to = edges[0] ?? 0;
  for (let run = 1, cell = at; run < edges.length; run++, cell++) {
    const from = to;
    to = edges[run] ?? 0;
    counts[cell] = sumOf(steps.counts, from, to);
    sums[cell] = decimalsOf(sumOf(steps.sums, from, to), digits);
    mins[cell] = minOf(steps.mins, from, to);
    maxs[cell] = maxOf(steps.maxs, from, to);
    lasts[cell] = steps.lasts[to - 1] ?? 0;
  }
}
