import { type Message, message, t } from "../../core/language/translate.ts";
import {
  formatBytes,
  formatCount,
  formatDate,
  formatDateTime,
  formatDuration,
  formatExact,
  formatPercent,
  formatRate,
  NONE,
  withDecimalMark,
} from "../format.ts";
import {
  formatClock,
  formatDayShort,
  formatMinute,
  formatTime,
  zoneOffsetMs,
} from "../format_time.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../core/time.ts";
/** What a chart over time shows. */

/**
 * Durations in ms, rates per minute, percent as a ratio from 0 to 1, `bytesRate` in bytes a second. `number:` is any
 * other, with what stands behind its values: `number:` alone, `number:/s`, `number:requests`.
 */
export type ChartUnit =
  | "duration"
  | "count"
  | "rate"
  | "percent"
  | "score"
  | "bytes"
  | "bytesRate"
  | `number:${string}`;

export interface ChartSeries {
  readonly label: string;
  /** One value a bucket; null is a gap. */
  readonly values: readonly (number | null)[];
  /**
   * `stacked` are bars and `stacked-area` areas that stand upon each other in the order given; a chart has one of
   * both. @default "line"
   */
  readonly kind?: "line" | "area" | "bars" | "stacked" | "stacked-area";
  /** @default the series' position */
  readonly color?: ChartColor;
  /** @default false */
  readonly isDashed?: boolean;
  /** The figure of the whole time, where the mean of the buckets would be another: of quantiles and shares it is. */
  readonly whole?: number | null;
}

/** Something that happened at an instant, such as a release. */
export interface ChartMarker {
  /** Unix time in ms. */
  readonly at: number;
  /** As "release web@1.4.0". */
  readonly label: string;
  /** Where it leads. */
  readonly href?: string;
}

/** One observation that leads to where it was made. */
export interface ChartDot {
  /** Unix time in ms. */
  readonly at: number;
  readonly value: number;
  readonly href: string;
  /** As "1.32 s, trace 4bf92f35". */
  readonly label: string;
}

export interface ChartThreshold {
  readonly value: number;
  readonly label: string;
}

/** One of several levels that values are judged by, such as those of an alert. */
export interface ChartLevel extends ChartThreshold {
  readonly tone: "danger" | "warning" | "ok";
}

/** A stretch of time that stands out, such as one in which an alert fired. */
export interface ChartBand {
  /** Unix times in ms, `to` exclusive. */
  readonly from: number;
  readonly to: number;
  /** As "critical". */
  readonly label: string;
  readonly tone: "danger" | "warning" | "muted";
}

export interface ChartProps {
  /** Unique on the page. */
  readonly id: string;
  readonly title: string;
  readonly unit: ChartUnit;
  /** Beginnings of the buckets in ms, ascending. */
  readonly times: readonly number[];
  readonly bucketMs: number;
  readonly series: readonly ChartSeries[];
  readonly markers?: readonly ChartMarker[];
  /** Links for the pointer: the page says the same in words, too. */
  readonly dots?: readonly ChartDot[];
  /** Path and query with the scope minus its time: a drag over the plot adds `start` and `end`. */
  readonly zoomHref?: string;
  /** Charts of one key share the crosshair. */
  readonly syncKey?: string;
  /** A line under the title. */
  readonly note?: string;
  /** Of the drawing with its axes, in px. @default 180 */
  readonly height?: number;
  /** What is bad from here on. */
  readonly threshold?: ChartThreshold;
  /** What is good up to here. */
  readonly goal?: ChartThreshold;
  /** Lines across the plot, each with its label. */
  readonly levels?: readonly ChartLevel[];
  /** Shaded behind the series; those of one label have one entry in the legend. */
  readonly bands?: readonly ChartBand[];
}

/** The instants from the first bucket's beginning to the last one's end, in ms; 0 and 0 without buckets. */
export function timeSpan(
  { times, bucketMs }: Pick<ChartProps, "times" | "bucketMs">,
): { start: number; end: number } {
  const first = times[0];
  const last = times.at(-1);
  return first === undefined || last === undefined
    ? { start: 0, end: 0 }
    : { start: first, end: last + bucketMs };
}

/** Whether there is not one value to draw. */
export function isEmpty({ times, series }: ChartProps): boolean {
  return times.length === 0 ||
    series.every(({ values }) => values.every((value) => !isReal(value)));
}

/** The markers within the chart's time. */
export function visibleMarkers(chart: ChartProps): readonly ChartMarker[] {
  const { start, end } = timeSpan(chart);
  return (chart.markers ?? []).filter(({ at }) => at >= start && at < end);
}

/** The bands within the chart's time, cut to it. */
export function visibleBands(chart: ChartProps): readonly ChartBand[] {
  const { start, end } = timeSpan(chart);
  return (chart.bands ?? []).flatMap((band) => {
    const from = Math.max(start, band.from);
    const to = Math.min(end, band.to);
    return from < to ? [{ ...band, from, to }] : [];
  });
}

/** The dots within the chart's time. */
export function visibleDots(chart: ChartProps): readonly ChartDot[] {
  const { start, end } = timeSpan(chart);
  return (chart.dots ?? []).filter(({ at }) => at >= start && at < end);
}

/** Whether a value can be drawn: neither a gap nor what a division by zero leaves. */
export function isReal(value: number | null | undefined): value is number {
  return value !== null && value !== undefined && Number.isFinite(value);
}

/** The colours of series: tokens of the style sheet, never colours themselves, so that both themes work. */
export type ChartColor = 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | "danger" | "muted";

interface ColorNames {
  /** Custom property that holds the colour. */
  readonly property: string;
  readonly fill: string;
  readonly stroke: string;
}

// Whole class names, because Tailwind looks for them in the source.
const COLORS: Readonly<Record<ChartColor, ColorNames>> = {
  1: { property: "--series-1", fill: "fill-series-1", stroke: "stroke-series-1" },
  2: { property: "--series-2", fill: "fill-series-2", stroke: "stroke-series-2" },
  3: { property: "--series-3", fill: "fill-series-3", stroke: "stroke-series-3" },
  4: { property: "--series-4", fill: "fill-series-4", stroke: "stroke-series-4" },
  5: { property: "--series-5", fill: "fill-series-5", stroke: "stroke-series-5" },
  6: { property: "--series-6", fill: "fill-series-6", stroke: "stroke-series-6" },
  7: { property: "--series-7", fill: "fill-series-7", stroke: "stroke-series-7" },
  8: { property: "--series-8", fill: "fill-series-8", stroke: "stroke-series-8" },
  danger: { property: "--danger-fill", fill: "fill-danger-fill", stroke: "stroke-danger-fill" },
  muted: { property: "--line-strong", fill: "fill-line-strong", stroke: "stroke-line-strong" },
};

const CYCLE = [1, 2, 3, 4, 5, 6, 7, 8] as const;

/** The names of a colour; without one, that of the series' position counted from 0. */
export function colorNames(color: ChartColor | undefined, position: number): ColorNames {
  return COLORS[color ?? CYCLE[position % CYCLE.length] ?? 1];
}

// Values and instants as charts write them.

const UNIT_WORDS = {
  duration: message("duration"),
  count: message("count"),
  rate: message("per minute"),
  percent: message("share"),
  score: message("score"),
  bytes: message("bytes"),
  bytesRate: message("bytes per second"),
} as const;

const TIMES: Readonly<Record<string, Message>> = {
  s: message("per second"),
  min: message("per minute"),
  h: message("per hour"),
};

/** Of numbers: from here on they are abbreviated. */
const ABBREVIATE_FROM = 10_000;

const BUCKET_UNITS = [
  [DAY_MS, message("{n} day|{n} days")],
  [HOUR_MS, message("{n} hour|{n} hours")],
  [MINUTE_MS, message("{n} minute|{n} minutes")],
  [1_000, message("{n} second|{n} seconds")],
] as const;

/** What a chart's values are, for its head. */
export function unitWords(unit: ChartUnit): string {
  if (!isNumberUnit(unit)) return t(UNIT_WORDS[unit]);
  const [, noun = "", time] = /^(.*?)(?:\/(s|min|h))?$/.exec(suffixOf(unit)) ?? [];
  const per = TIMES[time ?? ""];
  return [noun, per === undefined ? "" : t(per)].filter(Boolean).join(" ") || t("number");
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
      return t("{size}/s", {
        size: formatBytes(Math.abs(value) < 10 ? threeDigits(value) : Math.round(value)),
      });
  }
}

/** Any number in about four digits: `0.00042`, `12.34`, `1,234`, `12.3k`. */
function formatNumber(value: number): string {
  const size = Math.abs(value);
  if (size >= ABBREVIATE_FROM || Number.isInteger(value)) return formatCount(value);
  return size < 0.1
    ? withDecimalMark(String(threeDigits(value)))
    : formatExact(Number(value.toPrecision(4)));
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
      return t("{share}%", {
        share: withDecimalMark((value * 100).toFixed(decimals(step * 100))),
      });
    default:
      return Math.abs(value) >= 1000
        ? formatCount(value)
        : withDecimalMark(value.toFixed(decimals(step)));
  }
}

/** `1 hour`, `5 minutes`. */
export function formatBucket(bucketMs: number): string {
  for (const [size, name] of BUCKET_UNITS) {
    if (bucketMs % size === 0) return t(name, { n: bucketMs / size });
  }
  return formatDuration(bucketMs);
}

/** The beginning of a bucket, no finer than the bucket: a day, a minute, a second. */
export function formatBucketStart(at: number, bucketMs: number): string {
  const date = new Date(at);
  if (bucketMs % DAY_MS === 0 && isMidnight(date)) return formatDate(date);
  return bucketMs % MINUTE_MS === 0 && at % MINUTE_MS === 0
    ? formatMinute(date)
    : formatDateTime(date);
}

/** An instant at the time axis: the day at midnight and between days, the clock otherwise. */
export function formatTimeTick(at: number, step: number): string {
  const date = new Date(at);
  if (isMidnight(date)) return formatDayShort(date);
  return step < MINUTE_MS ? formatClock(date) : formatTime(date);
}

function isMidnight(date: Date): boolean {
  return (date.getTime() + zoneOffsetMs(date)) % DAY_MS === 0;
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
  readonly word: string;
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
    ? { word: t("total"), main: real.length === 0 ? null : sum, average }
    : { word: t("last"), main: real.at(-1) ?? null, average };
}

/** A series in words: `p95 last 12.3 ms, average 14.1 ms`. */
export function seriesWords({ label, values, whole }: ChartSeries, unit: ChartUnit): string {
  const { word, main, average } = summarize(values, unit);
  const rest = whole === undefined
    ? t("average {value}", { value: formatValue(average, unit) })
    : t("over the whole time {value}", { value: formatValue(whole, unit) });
  return `${label} ${word} ${formatValue(main, unit)}, ${rest}`;
}
