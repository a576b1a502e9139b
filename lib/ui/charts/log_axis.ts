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
