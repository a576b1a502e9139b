import type { Buckets, ExponentialBuckets } from "../../records/metric_batch.ts";
import { boundOf, bucketRanges } from "../ranges.ts";
import { spreadOver } from "../spread.ts";

/** A stretch of values, `(from, to]`. */
export interface HeatmapRow {
  /** Null: from the lowest. */
  readonly from: number | null;
  /** Null: to the highest. */
  readonly to: number | null;
}

export const MAX_ROWS = 40;

/** The rows that a distribution is drawn in: its buckets from the first to the last that has anything. */
export function heatmapRows(buckets: Buckets): HeatmapRow[] {
  const ranges = bucketRanges(buckets);
  const [first] = ranges;
  const last = ranges.at(-1);
  if (first === undefined || last === undefined) return [];
  const bounds = (buckets.kind === "exponential" ? exponentialBounds(buckets) : buckets.bounds)
    .filter((bound) => bound > first.from && bound < last.to);
  return fewer(rowsBetween([first.from, ...bounds, last.to]));
}

/** How many observations of a distribution lie in each row. */
export function countsIn(rows: readonly HeatmapRow[], buckets: Buckets): number[] {
  const bounds = rows.slice(0, -1).map(({ to }) => to ?? Infinity);
  if (rows.length === 0) return [];
  if (buckets.kind === "exponential") return spreadOver(buckets, bounds);
  const counts = rows.map(() => 0);
  for (const { to, count } of bucketRanges(buckets)) {
    const found = bounds.findIndex((bound) => bound >= to);
    const place = found === -1 ? rows.length - 1 : found;
    counts[place] = (counts[place] ?? 0) + count;
  }
  return counts;
}

function rowsBetween(bounds: readonly number[]): HeatmapRow[] {
  const edge = (bound: number | undefined) =>
    bound === undefined || !Number.isFinite(bound) ? null : bound;
  return bounds.slice(1).map((to, place) => ({ from: edge(bounds[place]), to: edge(to) }));
}

/** Ascending: those of negative buckets, of the zero bucket, and of positive buckets. */
function exponentialBounds(
  { scale, zeroCount, zeroThreshold, positive, negative }: ExponentialBuckets,
): number[] {
  const above = boundsOf(positive.indexes, scale);
  const below = boundsOf(negative.indexes, scale).map((bound) => -bound).reverse();
  const zero = zeroCount === 0 ? [] : [-zeroThreshold, zeroThreshold];
  const all = [...below, ...zero, ...above].sort((some, other) => some - other);
  return all.filter((bound, place) => place === 0 || bound > (all[place - 1] ?? 0));
}

/** Of every bucket between the first and the last, also of those without anything. */
function boundsOf(indexes: readonly number[], scale: number): number[] {
  const [first] = indexes;
  const last = indexes.at(-1);
  if (first === undefined || last === undefined) return [];
  return Array.from({ length: last - first + 2 }, (_, place) => boundOf(first + place, scale));
}

/** Joins neighbours where there are more rows than are drawn. */
function fewer(rows: readonly HeatmapRow[]): HeatmapRow[] {
  const size = Math.ceil(rows.length / MAX_ROWS);
  const joined: HeatmapRow[] = [];
  for (let at = 0; at < rows.length; at += size) {
    const run = rows.slice(at, at + size);
    joined.push({ from: run[0]?.from ?? null, to: run.at(-1)?.to ?? null });
  }
  return joined;
}
