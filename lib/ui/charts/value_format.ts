/** Values and instants as charts write them. */
import {
  formatBytes,
  formatCount,
  formatDateTime,
  formatDuration,
  formatExact,
  formatPercent,
  formatRate,
  NONE,
} from "../format.ts";
import { type ChartSeries, type ChartUnit, isReal } from "./chart_data.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../core/time.ts";

const UNIT_WORDS = {
  duration: "duration",
  count: "count",
  rate: "per minute",
  percent: "share",
  score: "score",
  bytes: "bytes",
  bytesRate: "bytes per second",
} as const;

const TIMES: Readonly<Record<string, string>> = { s: "second", min: "minute", h: "hour" };

/** Of numbers: from here on they are abbreviated. */
const ABBREVIATE_FROM = 10_000;

const BUCKET_UNITS = [
  [DAY_MS, "day"],
  [HOUR_MS, "hour"],
  [MINUTE_MS, "minute"],
  [1_000, "second"],
] as const;
const MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");

/** What a chart's values are, for its head. */
export function unitWords(unit: ChartUnit): string {
  if (!isNumberUnit(unit)) return UNIT_WORDS[unit];
  const [, noun = "", time] = /^(.*?)(?:\/(s|min|h))?$/.exec(suffixOf(unit)) ?? [];
  return [noun, time && `per ${TIMES[time]}`].filter(Boolean).join(" ") || "number";
}

/** A value with its unit, a dash for none. */
export function formatValue(value: number | null | undefined, unit: ChartUnit): string {
  if (!isReal(value)) return NONE;
  if (isNumberUnit(unit)) return withSuffix(formatNumber(value), suffixOf(unit));
  switch (unit) {
    case "duration":
      return formatDuration(value);
    case "count":
      return formatCount(Number.isInteger(value) ? value : threeDigits(value));
    case "rate":
      return formatRate(value);
    case "percent":
      return formatPercent(value);
    case "score":
      return formatExact(threeDigits(value));
    case "bytes":
      return formatBytes(Number.isInteger(value) ? value : Math.round(value));
    case "bytesRate":
      return `${formatBytes(Math.abs(value) < 10 ? threeDigits(value) : Math.round(value))}/s`;
  }
}

/** Any number in about four digits: `0.00042`, `12.34`, `1,234`, `12.3k`. */
function formatNumber(value: number): string {
  const size = Math.abs(value);
  if (size >= ABBREVIATE_FROM || Number.isInteger(value)) return formatCount(value);
  return size < 0.1 ? String(threeDigits(value)) : formatExact(Number(value.toPrecision(4)));
}

/**
 * A value at the axis: with no more decimals than neighbours need to differ. Rates go without `/min`, which
 * the chart's head says.
 *
 * @param step distance to the next tick
 */
export function formatTick(value: number, step: number, unit: ChartUnit): string {
  if (value === 0) return "0";
  switch (unit) {
    case "duration":
      return formatDuration(value);
    case "bytes":
    case "bytesRate":
      return formatBytes(value);
    case "percent":
      return `${(value * 100).toFixed(decimals(step * 100))}%`;
    default:
      return Math.abs(value) >= 1000 ? formatCount(value) : value.toFixed(decimals(step));
  }
}

/** `1 hour`, `5 minutes`. */
export function formatBucket(bucketMs: number): string {
  for (const [size, name] of BUCKET_UNITS) {
    if (bucketMs % size === 0) return `${bucketMs / size} ${name}${bucketMs === size ? "" : "s"}`;
  }
  return formatDuration(bucketMs);
}

/** The beginning of a bucket in UTC, no finer than the bucket: a day, a minute, a second. */
export function formatBucketStart(at: number, bucketMs: number): string {
  const text = formatDateTime(new Date(at));
  if (bucketMs % DAY_MS === 0 && at % DAY_MS === 0) return text.slice(0, 10);
  return bucketMs % MINUTE_MS === 0 && at % MINUTE_MS === 0
    ? text.replace(/:\d\d UTC$/, " UTC")
    : text;
}

/** An instant at the time axis, in UTC: the day at midnight and between days, the clock otherwise. */
export function formatTimeTick(at: number, step: number): string {
  const date = new Date(at);
  if (at % DAY_MS === 0) return `${MONTHS[date.getUTCMonth()]} ${date.getUTCDate()}`;
  return date.toISOString().slice(11, step < MINUTE_MS ? 19 : 16);
}

function isNumberUnit(unit: ChartUnit): unit is `number:${string}` {
  return unit.startsWith("number:");
}

function suffixOf(unit: `number:${string}`): string {
  return unit.slice("number:".length);
}

function withSuffix(text: string, suffix: string): string {
  return suffix === "" || suffix.startsWith("/") ? text + suffix : `${text} ${suffix}`;
}

function threeDigits(value: number): number {
  return Number(value.toPrecision(3));
}

function decimals(step: number): number {
  return Math.min(6, Math.max(0, -Math.floor(Math.log10(step) + 1e-9)));
}

interface SeriesSummary {
  /** What `main` is: counts have a total, everything else a last value. */
  readonly word: "total" | "last";
  readonly main: number | null;
  /** Mean of the buckets that have a value. */
  readonly average: number | null;
}

/** Total or last value, and average; nulls where there is no value at all. */
export function summarize(values: readonly (number | null)[], unit: ChartUnit): SeriesSummary {
  const real = values.filter(isReal);
  const sum = real.reduce((total, value) => total + value, 0);
  const average = real.length === 0 ? null : sum / real.length;
  return unit === "count"
    ? { word: "total", main: real.length === 0 ? null : sum, average }
    : { word: "last", main: real.at(-1) ?? null, average };
}

/** A series in words: `p95 last 12.3 ms, average 14.1 ms`. */
export function seriesWords({ label, values, whole }: ChartSeries, unit: ChartUnit): string {
  const { word, main, average } = summarize(values, unit);
  const rest = whole === undefined
    ? `average ${formatValue(average, unit)}`
    : `over the whole time ${formatValue(whole, unit)}`;
  return `${label} ${word} ${formatValue(main, unit)}, ${rest}`;
}
