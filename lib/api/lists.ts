/** What requests for lists and figures have in common: a time, a scope, an order, a page. */
import { z } from "zod";
import { DAY_MS, HOUR_MS, isOfCalendar, MINUTE_MS, SECOND_MS } from "../core/time.ts";
import type { QueryScope } from "../store/query_limits.ts";
import type { Stats } from "../store/stats/stats.ts";
import { sorted } from "../ui/sorted_list.tsx";
import { ApiError, type Cursors } from "./route.ts";

/** By the letters in which requests name spans of time. */
export const UNIT_MS: Readonly<Record<string, number>> = {
  s: SECOND_MS,
  m: MINUTE_MS,
  h: HOUR_MS,
  d: DAY_MS,
  w: 7 * DAY_MS,
};
const PAGE = { default: 25, max: 100 };

/** Parameters that `readInterval()` reads. */
export const TIME_QUERY = {
  statsPeriod: z.string().optional().describe("As 24h or 14d, in place of start and end"),
  start: z.string().optional().describe("ISO 8601; without a zone it is UTC"),
  end: z.string().optional(),
};

/** Parameters that limit what is counted. */
export const SCOPE_QUERY = {
  environment: z.array(z.string()),
  release: z.array(z.string()),
  service: z.array(z.string()),
  ...TIME_QUERY,
};

/** Parameters of lists. */
export const PAGE_QUERY = {
  cursor: z.string().optional().describe("From the Link header of the page before"),
  per_page: z.string().optional().describe("Rows, up to 100"),
};

/** A word out of some. */
export function wordOf<const Words extends readonly [string, ...string[]]>(words: Words) {
  return z.enum(words, `write ${words.join(", ")}`);
}

/** A text that every store takes: Postgres none with NUL, and no half of a character in JSON. */
export const plainText = z.string().refine(
  (text) => text.isWellFormed() && !text.includes("\0"),
  "write plain text",
);

/** A text; `""` when it is missing. */
export function textUpTo(most: number) {
  return z.string().max(most, `write at most ${most} characters`).default("");
}

/** A name without outer blanks; `""` when it is missing. */
export const nameText = z.string().trim().max(200, "write at most 200 characters").default("");

/** `1`, `true`, `0`, `false` or nothing. */
export const flag = z.enum(["", "0", "false", "1", "true"], "write 1 or 0").default("")
  .transform((text) => text === "1" || text === "true");

/** What figures are limited to: environments, and the time range. @throws {ApiError} 400 */
export function readScope(
  search: URLSearchParams,
  retentionDays: number,
  now: Date = new Date(),
): QueryScope {
  return {
    environments: search.getAll("environment").filter((name) => name !== ""),
    releases: [],
    ...readInterval(search, retentionDays, now),
  };
}

/** The time range that a request asks for; all that was kept when it does not say. @throws {ApiError} 400 */
export function readInterval(
  search: URLSearchParams,
  retentionDays: number,
  now: Date = new Date(),
): { start: Date; end: Date } {
  const whole = wholeRetention(retentionDays, now);
  const end = readTime(search, "end") ?? whole.end;
  const start = readTime(search, "start") ?? startOfPeriod(search.get("statsPeriod"), now) ??
    whole.start;
  if (start >= end) throw ApiError.detail(400, "start must be before end");
  // Nothing is stored beyond, and steps up to the year 9999 would be millions.
  if (start >= whole.end) throw ApiError.detail(400, "start must not be in the future");
  return {
    start: start < whole.start ? whole.start : start,
    end: end < whole.end ? end : whole.end,
  };
}

/** Everything that was ever kept, for those who name no range. */
function wholeRetention(retentionDays: number, now: Date): { start: Date; end: Date } {
  return {
    start: new Date(now.getTime() - (retentionDays + 2) * DAY_MS),
    end: new Date(now.getTime() + DAY_MS),
  };
}

function startOfPeriod(period: string | null, now: Date): Date | null {
  if (!period) return null;
  const [, count, unit = ""] = /^(\d{1,6})([smhdw])$/.exec(period) ?? [];
  const ms = Number(count) * (UNIT_MS[unit] ?? NaN);
  if (!(ms > 0)) throw ApiError.detail(400, "Invalid statsPeriod: write 24h, 14d or 2w");
  return new Date(now.getTime() - ms);
}

/** ISO 8601; without a zone it is UTC. */
function readTime(search: URLSearchParams, name: string): Date | null {
  const text = search.get(name);
  if (!text) return null;
  const hasZone = /(?:Z|[+-]\d\d:?\d\d)$/i.test(text) || !text.includes("T");
  const time = new Date(hasZone ? text : `${text}Z`);
  if (!isOfCalendar(time.getTime())) {
    throw ApiError.detail(400, `Invalid ${name}: write a date as in 2026-11-20T12:00:00Z`);
  }
  return time;
}

/** Rows of a page; what is out of range or no number is corrected, as Sentry does. */
export function readLimit(text: string | null): number {
  const asked = Math.trunc(Number(text ?? PAGE.default));
  return asked >= 1 ? Math.min(asked, PAGE.max) : PAGE.default;
}

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
  return sorted(rows, [{ key, value }], { key, isDescending });
}

/** Of the row that a page begins with. @throws {ApiError} 400 for what is no cursor */
export function readOffset(cursor: string | null): number {
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
