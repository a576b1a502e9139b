import { clip } from "../fields.ts";

/** A text that Postgres takes, U+FFFD standing for NUL and lone surrogates, cut to `limit` UTF-16 units. */
export function cleanText(text: string, limit: number): string {
  // Cut twice: before the work, so that it is bounded, and after it.
  const start = text.length > limit ? text.slice(0, limit + 1) : text;
  const storable = start.includes("\0") ? start.replaceAll("\0", "\ufffd") : start;
  return clip(storable.toWellFormed(), limit);
}

/** A time as seconds since 1970 with whole microseconds, and the nanoseconds beyond them. */
export interface FineTime {
  /** 0 when unset. */
  readonly seconds: number;
  /** 0 to 999. */
  readonly fine: number;
}

/** Takes nanoseconds since 1970 apart. The first of them is a time, and a wrong one: only 0 is unset. */
export function fineTimeOf(nanos: bigint): FineTime {
  if (nanos <= 0n) return { seconds: secondsOf(Number(nanos)), fine: 0 };
  return { seconds: (Number(nanos / 1_000n) || 1) / 1e6, fine: Number(nanos % 1_000n) };
}

/** Nanoseconds since 1970 as whole microseconds: 0 only when unset, since the first nanosecond is a time, and a wrong one. */
export function microsOf(nanos: number): number {
  return Number.isNaN(nanos) ? 0 : Math.round(nanos / 1000) || Math.sign(nanos);
}

/**
 * Nanoseconds since 1970 as seconds with microseconds. A double holds the nanoseconds of this century to the nearest
 * 256, which microseconds do not show.
 *
 * @returns 0 when unset; what is no time of this century is left for others to judge
 */
export function secondsOf(nanos: number): number {
  return microsOf(nanos) / 1e6;
}
