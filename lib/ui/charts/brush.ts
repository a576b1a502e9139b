/** Choosing a range of durations on a histogram. */
import { durationAt, type LogAxis } from "./log_axis.ts";

export interface DurationRange {
  /** ms, included. */
  readonly min: number;
  /** ms, excluded. */
  readonly max: number;
}

/** Beginnings and ends of a histogram's buckets in ms, ascending. */
export type Edges = readonly (readonly [from: number, to: number])[];

/**
 * The buckets that a drag has touched, whole, because what of a part of one lies in it is not known.
 *
 * @param a share of the axis where the drag began
 * @param b share of the axis where it is; before or after `a`
 * @returns null where no bucket was touched
 */
export function brushedRange(
  axis: LogAxis,
  edges: Edges,
  a: number,
  b: number,
): DurationRange | null {
  const low = durationAt(axis, Math.min(a, b));
  const high = durationAt(axis, Math.max(a, b));
  const touched = edges.filter(([from, to]) => from < high && to > low);
  const first = touched[0];
  const last = touched.at(-1);
  return first && last ? { min: first[0], max: last[1] } : null;
}

/**
 * The page narrowed to a range of durations, as `min` and `max` in ms.
 *
 * @param href path and query without `min` and `max`
 */
export function brushTarget(href: string, { min, max }: DurationRange): string {
  const [path = "", query = ""] = href.split("?", 2);
  const params = new URLSearchParams(query);
  params.set("min", plain(min));
  params.set("max", plain(max));
  return `${path}?${params}`;
}

/** Without an exponent, to the nanosecond. */
function plain(ms: number): string {
  return String(Number(ms.toFixed(6)));
}
