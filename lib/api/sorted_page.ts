import type { Stats } from "../store/stats/stats.ts";
import { answersOf, STATUS_CLASSES } from "../traces/endpoints/load_endpoints.ts";
import { sorted } from "../ui/sorted_list.tsx";
import { readLimit } from "./issue_query.ts";
import { ApiError, type Cursors } from "./route.ts";

/** What a list can be sorted by, under the names of its fields. */
export type SortFields<T> = Readonly<Record<string, (row: T) => number | string | null>>;

/**
 * Sorts a list that is there as a whole by `sort`, as `p95` or `-p95`, and cuts the page out that `cursor` and `per_page`
 * ask for. Cursors are Sentry's `0:<offset>:0`.
 *
 * @param fallback the order when the request names none
 * @throws {ApiError} 400 for a field that the list is not sorted by, and for what is no cursor
 */
export function sortedPage<T>(
  rows: readonly T[],
  search: URLSearchParams,
  fields: SortFields<T>,
  fallback: string,
): Cursors & { readonly rows: readonly T[] } {
  const limit = readLimit(search.get("limit") ?? search.get("per_page"));
  const offset = readOffset(search.get("cursor"));
  const end = offset + limit;
  return {
    rows: inOrder(rows, search.get("sort") || fallback, fields).slice(offset, end),
    previousCursor: offset > 0 ? `0:${Math.max(0, offset - limit)}:1` : null,
    nextCursor: end < rows.length ? `0:${end}:0` : null,
  };
}

function inOrder<T>(rows: readonly T[], sort: string, fields: SortFields<T>): T[] {
  const isDescending = sort.startsWith("-");
  const key = isDescending ? sort.slice(1) : sort;
  const value = Object.hasOwn(fields, key) ? fields[key] : undefined;
  if (value === undefined) {
    const names = Object.keys(fields).join(", ");
    throw ApiError.detail(400, `Invalid sort: write ${names}; with - before it the greatest first`);
  }
  return sorted(rows, [{ key, label: key, value }], { key, isDescending });
}

function readOffset(cursor: string | null): number {
  if (!cursor) return 0;
  const [, offset] = /^\d{1,9}:(\d{1,9}):[01]$/.exec(cursor) ?? [];
  if (offset === undefined) {
    throw ApiError.detail(400, "Invalid cursor: take it from a Link header");
  }
  return Number(offset);
}

/** To the thousandth, which is a microsecond of milliseconds: sketches know less. Null stays null. */
export function rounded<T extends number | null>(value: T): T {
  return (value === null ? null : Math.round(value * 1_000) / 1_000) as T;
}

/** The usual quantiles of durations, in milliseconds; null where nothing happened. */
export function quantilesJson({ sketch }: Pick<Stats, "sketch">) {
  return {
    p50: rounded(sketch.quantile(0.5)),
    p75: rounded(sketch.quantile(0.75)),
    p95: rounded(sketch.quantile(0.95)),
    p99: rounded(sketch.quantile(0.99)),
  };
}

/** How many requests ended with which class of HTTP status, as `{"2xx": 7, …, "none": 0}`. */
export function statusesJson(stats: Pick<Stats, "statuses" | "count" | "weight">) {
  return answersJson(answersOf(stats));
}

/** The same of answers that are counted already, in the order of `STATUS_CLASSES`. */
export function answersJson(answers: readonly number[]): Record<string, number> {
  return Object.fromEntries(
    STATUS_CLASSES.map(({ label }, place) => [label, Math.round(answers[place] ?? 0)]),
  );
}
