/** Times to the nanosecond: a double of seconds or milliseconds since 1970 holds microseconds, and no more for sure. */

const NANOS_PER_MICRO = 1_000n;
const NANOS_PER_MS = 1e6;

/**
 * Nanoseconds since 1970.
 *
 * @param seconds since 1970, with microseconds
 * @param fine nanoseconds beyond these, 0 to 999
 */
export function exactNanos(seconds: number, fine = 0): bigint {
  return BigInt(Math.round(seconds * 1e6)) * NANOS_PER_MICRO + BigInt(fine);
}

/** The nearest milliseconds since 1970: what is earlier never becomes later than what is not. */
export function nearestMs(nanos: bigint): number {
  return Number(nanos) / NANOS_PER_MS;
}

/** Milliseconds between two times, to the nanosecond as long as they are less than a hundred days apart. */
export function msBetween(from: bigint, to: bigint): number {
  return Number(to - from) / NANOS_PER_MS;
}
