import { clip } from "../sentry/fields.ts";

/** A text that Postgres takes, U+FFFD standing for NUL and lone surrogates, cut to `limit` UTF-16 units. */
export function cleanText(text: string, limit: number): string {
  // Cut twice: before the work, so that it is bounded, and after it.
  const start = text.length > limit ? text.slice(0, limit + 1) : text;
  const storable = start.includes("\0") ? start.replaceAll("\0", "\ufffd") : start;
  return clip(storable.toWellFormed(), limit);
}

/**
 * Nanoseconds since 1970 as seconds with microseconds. A double holds the nanoseconds of this century to the nearest
 * 256, which microseconds do not show.
 *
 * @returns 0 when unset; what is no time of this century is left for others to judge
 */
export function secondsOf(nanos: number): number {
  return Number.isNaN(nanos) ? 0 : Math.round(nanos / 1000) / 1e6;
}
