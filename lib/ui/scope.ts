/**
 * The scope of a page: which environments, releases and time it looks at. It lives in the URL, is parsed
 * once per request, and every link inside a project carries it on. Reading is lenient, so that an old or
 * hand-written link never breaks a page; writing is canonical, so that equal scopes make equal URLs.
 */
import type { Interval } from "../core/time.ts";

import { zoneOffsetMs } from "./format_time.ts";

export type { Interval };

import { DAY_MS, HOUR_MS, MINUTE_MS } from "../core/time.ts";

export const RANGE_PRESETS = ["15m", "1h", "24h", "7d", "14d", "30d"] as const;
export type RangePreset = (typeof RANGE_PRESETS)[number];

/** A stretch of time chosen by hand; an `end` of null stands for "until now". */
export interface CustomRange {
  readonly start: Date;
  readonly end: Date | null;
}

export interface Scope {
  /** Sorted, without repeats; empty means all. */
  readonly environments: readonly string[];
  /** Sorted, without repeats; empty means all. */
  readonly releases: readonly string[];
  /** Sorted, without repeats; empty means all. Errors know no service: only pages of traces obey it. */
  readonly services: readonly string[];
  readonly range: RangePreset | CustomRange;
}

export const DEFAULT_RANGE: RangePreset = "14d";
export const EVERYTHING: Scope = {
  environments: [],
  releases: [],
  services: [],
  range: DEFAULT_RANGE,
};

/** How far ahead an event's time may be before intake corrects it. */
const CLOCKS_AHEAD_MS = MINUTE_MS;
const PRESET_MS: Record<RangePreset, number> = {
  "15m": 15 * MINUTE_MS,
  "1h": HOUR_MS,
  "24h": DAY_MS,
  "7d": 7 * DAY_MS,
  "14d": 14 * DAY_MS,
  "30d": 30 * DAY_MS,
};

/** More than anybody picks by hand; bounds what a made-up URL can ask of the database. */
const MAX_VALUES = 50;
/** Longest environment or release that an event can carry. */
const MAX_VALUE_LENGTH = 200;
/** Instants outside these years are typing errors, and Postgres would have no partition for them. */
const EARLIEST_MS = Date.UTC(2000, 0, 1);
const LATEST_MS = Date.UTC(2100, 0, 1);

/**
 * Reads the scope out of a query string. Unknown ranges, unreadable dates and empty values are as good as
 * absent; a start after its end is swapped with it.
 */
export function parseScope(params: URLSearchParams): Scope {
  return {
    environments: values(params, "environment"),
    releases: values(params, "release"),
    services: values(params, "service"),
    range: customRange(params) ?? preset(params.get("range")) ?? DEFAULT_RANGE,
  };
}

/** The scope as query parameters in their one canonical order; what is default is left out. */
export function scopeParams(scope: Scope): [name: string, value: string][] {
  const params: [string, string][] = [
    ...scope.environments.map((value): [string, string] => ["environment", value]),
    ...scope.releases.map((value): [string, string] => ["release", value]),
    ...scope.services.map((value): [string, string] => ["service", value]),
  ];
  const { range } = scope;
  if (typeof range === "string") {
    if (range !== DEFAULT_RANGE) params.push(["range", range]);
    return params;
  }
  params.push(["start", isoSeconds(range.start)]);
  if (range.end) params.push(["end", isoSeconds(range.end)]);
  return params;
}

/** Parameters of a page beside its scope; a list is a parameter that stands several times. */
export type ExtraParams = Readonly<Record<string, string | readonly string[] | null | undefined>>;

/** Pairs of a query in the order given: a list gives one each, and what is empty is left out. */
export function paramsOf(values: ExtraParams): [name: string, value: string][] {
  return Object.entries(values).flatMap(([name, value]) =>
    [value ?? ""].flat().filter((one) => one !== "").map((one): [string, string] => [name, one])
  );
}

/**
 * A link inside the project that keeps the scope.
 *
 * @param path absolute path without a query
 * @param extra further parameters, put after the scope
 */
export function scopedHref(path: string, scope: Scope, extra: ExtraParams = {}): string {
  const params = new URLSearchParams([...scopeParams(scope), ...paramsOf(extra)]);
  return params.size === 0 ? path : `${path}?${params}`;
}

/**
 * The instants a scope covers, `end` exclusive. A range until now reaches a little further, because what
 * a client with a fast clock has just sent must not stay hidden until ours has caught up.
 */
export function intervalOf(scope: Scope, now: Date): Interval {
  const { range } = scope;
  const soon = new Date(now.getTime() + CLOCKS_AHEAD_MS);
  if (typeof range === "string") {
    return { start: new Date(now.getTime() - PRESET_MS[range]), end: soon };
  }
  const end = range.end ?? soon;
  // An open range whose start lies ahead has nothing in it yet; queries still want start <= end.
  return range.start <= end ? { start: range.start, end } : { start: end, end };
}

/** Whether anything but the time is narrowed. */
export function isNarrowed(scope: Scope): boolean {
  return scope.environments.length > 0 || scope.releases.length > 0;
}

function values(params: URLSearchParams, name: string): string[] {
  const found = params.getAll(name)
    .map((value) => value.trim())
    .filter((value) => value !== "" && value.length <= MAX_VALUE_LENGTH);
  return [...new Set(found)].sort().slice(0, MAX_VALUES);
}

function preset(text: string | null): RangePreset | null {
  const wanted = text?.trim().toLowerCase();
  return RANGE_PRESETS.find((name) => name === wanted) ?? null;
}

function customRange(params: URLSearchParams): CustomRange | null {
  const start = instant(params.get("start"));
  const end = instant(params.get("end"));
  if (!start) return null;
  if (!end) return { start, end: null };
  if (start.getTime() === end.getTime()) {
    return { start, end: new Date(end.getTime() + MINUTE_MS) };
  }
  return start < end ? { start, end } : { start: end, end: start };
}

/**
 * Reads ISO 8601 and Unix seconds. Without a zone it is the reader's, as `<input type=datetime-local>` writes it; a date
 * alone is UTC.
 */
function instant(text: string | null): Date | null {
  const trimmed = text?.trim() ?? "";
  if (trimmed === "") return null;
  const millis = /^\d{9,11}$/.test(trimmed)
    ? Number(trimmed) * 1000
    : /(?:z|[+-]\d\d:?\d\d)$/i.test(trimmed)
    ? Date.parse(trimmed)
    : localTime(utc(trimmed));
  if (!(millis >= EARLIEST_MS && millis < LATEST_MS)) return null;
  // Whole seconds, as they are written back: a range keeps its meaning however often it is copied.
  return new Date(Math.floor(millis / 1000) * 1000);
}

/** The instant at which the reader's clocks show what UTC's show at this one. */
function localTime(text: string): number {
  const shown = Date.parse(text);
  if (!(shown >= EARLIEST_MS && shown < LATEST_MS)) return NaN;
  return /\d[t ]\d/i.test(text) ? shown - zoneOffsetMs(new Date(shown)) : shown;
}

/** A date alone is UTC to `Date.parse` already; a date with a time is not. */
function utc(text: string): string {
  return /\d[t ]\d/i.test(text) ? `${text.replace(" ", "T")}Z` : text;
}

function isoSeconds(date: Date): string {
  return date.toISOString().replace(/\.\d+Z$/, "Z");
}

/** Widths that people read at a glance, in seconds. */
const WIDTHS = [
  60,
  5 * 60,
  15 * 60,
  30 * 60,
  3_600,
  2 * 3_600,
  3 * 3_600,
  6 * 3_600,
  12 * 3_600,
  86_400,
  2 * 86_400,
  7 * 86_400,
];
/** As many bars as a phone can still show apart: an hour of minutes, a month of half days, and their edges. */
const MAX_BARS = 62;

/** The narrowest readable bar, in seconds, with which an interval fits into one chart. */
export function bucketSecondsFor({ start, end }: Interval): number {
  const seconds = (end.getTime() - start.getTime()) / 1000;
  const widest = WIDTHS.at(-1) ?? 86_400;
  return WIDTHS.find((width) => seconds / width <= MAX_BARS) ??
    Math.ceil(seconds / MAX_BARS / widest) * widest;
}
