/** A logarithmic axis of durations. */

export interface DurationBucket {
  /** ms, included. */
  readonly from: number;
  /** ms, above `from`. */
  readonly to: number;
  readonly count: number;
}

export interface LogAxis {
  /** ms at its left end, above 0. */
  readonly low: number;
  /** ms at its right end. */
  readonly high: number;
}

/** The axis that holds all buckets; null without any. A bucket from 0 is as wide as one that halves. */
export function logAxis(buckets: readonly DurationBucket[]): LogAxis | null {
  const lows = buckets.map(({ from, to }) => from > 0 ? from : to / 2);
  const low = Math.min(...lows);
  const high = Math.max(...buckets.map(({ to }) => to));
  return low > 0 && high > low && Number.isFinite(high) ? { low, high } : null;
}

/** Where a duration in ms lies on the axis, from 0 at the left to 1; beyond the ends it is at an end. */
export function shareAt({ low, high }: LogAxis, ms: number): number {
  if (ms <= low) return 0;
  return Math.min(1, Math.log(ms / low) / Math.log(high / low));
}

/** The duration in ms at a share of the axis. */
export function durationAt({ low, high }: LogAxis, share: number): number {
  return low * (high / low) ** share;
}

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
