import type { ChartProps } from "../chart_data.ts";

/** A stretch of time in ms, `end` exclusive. */
export interface Stretch {
  readonly start: number;
  readonly end: number;
}

/**
 * The buckets between two instants, whole, because of a part of one the values are not known.
 *
 * @param a ms, before or after `b`
 * @param b ms
 * @returns null where there is no bucket
 */
export function stretchBetween(
  { times, bucketMs }: ChartProps,
  a: number,
  b: number,
): Stretch | null {
  const [low, high] = a < b ? [a, b] : [b, a];
  const chosen = times.filter((time) => time < high && time + bucketMs > low);
  const first = chosen[0];
  const last = chosen.at(-1);
  return first === undefined || last === undefined ? null : { start: first, end: last + bucketMs };
}

/**
 * The page with its time set to a stretch.
 *
 * @param href path and query without `start` and `end`
 */
export function zoomTarget(href: string, { start, end }: Stretch): string {
  const [path = "", query = ""] = href.split("?", 2);
  const params = new URLSearchParams(query);
  params.set("start", isoSeconds(start));
  params.set("end", isoSeconds(end));
  return `${path}?${params}`;
}

function isoSeconds(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+Z$/, "Z");
}
