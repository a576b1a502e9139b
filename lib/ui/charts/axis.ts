/** What axes reach over, and where they have their ticks: at round values of the unit, at round instants. */
import { zoneOffsetMs } from "../format_time.ts";
import {
  type ChartDot,
  type ChartProps,
  type ChartSeries,
  type ChartUnit,
  isReal,
  visibleDots,
} from "./chart_data.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "@/lib/core/time.ts";

const WEEK_MS = 7 * DAY_MS;
/** The epoch was a Thursday; weeks begin on Mondays. */
const FIRST_MONDAY_MS = 4 * DAY_MS;

const MINUTES_AND_SECONDS = [1, 2, 5, 10, 15, 30];
/** Steps that clocks and calendars have. */
const TIME_STEPS = [
  ...MINUTES_AND_SECONDS.map((count) => count * SECOND_MS),
  ...MINUTES_AND_SECONDS.map((count) => count * MINUTE_MS),
  ...[1, 2, 3, 6, 12].map((count) => count * HOUR_MS),
  ...[1, 2].map((count) => count * DAY_MS),
  ...[1, 2, 4, 8, 26, 52].map((count) => count * WEEK_MS),
];

/** Ticks with the distance between them. */
interface Ticks {
  readonly at: readonly number[];
  readonly step: number;
}

/**
 * Round values from `low` to `high`, both included where they are round themselves.
 *
 * @param most how many steps there may be
 */
export function valueTicks(low: number, high: number, unit: ChartUnit, most: number): Ticks {
  return multiples(low, high, valueStep((high - low) / most, unit));
}

/**
 * Round instants in the reader's time zone, `end` exclusive.
 *
 * @param start ms
 * @param end ms
 * @param most how many steps there may be
 */
export function timeTicks(start: number, end: number, most: number): Ticks {
  if (end <= start) return { at: [], step: SECOND_MS };
  const step = timeStep((end - start) / most);
  // Where clocks change on the way, ticks stay round for where the axis begins.
  const offset = (step % WEEK_MS === 0 ? FIRST_MONDAY_MS : 0) - zoneOffsetMs(new Date(start));
  const { at } = multiples(start - offset, end - offset, step);
  return { at: at.map((tick) => tick + offset).filter((tick) => tick < end), step };
}

/**
 * Ticks of a logarithmic axis of durations: 1, 2 and 5 of each decade while they fit, else fewer, else
 * evenly spaced values where the axis is shorter than a decade.
 *
 * @param low ms, above 0
 * @param high ms
 * @param most how many ticks there may be
 */
export function logTicks(low: number, high: number, most: number): readonly number[] {
  const everyDecade = [[1, 2, 5], [1, 3], [1]].map((digits) => decades(low, high, digits));
  const everyThird = everyDecade.at(-1)?.filter((_, index) => index % 3 === 0) ?? [];
  const fitting = [...everyDecade, everyThird].find((ticks) => ticks.length <= most);
  if (fitting !== undefined && fitting.length >= 3) return fitting;
  const even = valueTicks(low, high, "duration", most).at;
  return even.length <= most && high / low < 10 ? even : fitting ?? [];
}

/** The smallest round step of a unit that is not below `least`. */
function valueStep(least: number, unit: ChartUnit): number {
  switch (unit) {
    case "bytes":
    case "bytesRate":
      return Math.max(1, 2 ** Math.ceil(Math.log2(least)));
    case "count":
      return Math.max(1, decimalStep(least));
    case "duration":
      return least < SECOND_MS ? decimalStep(least) : timeStep(least);
    default:
      return decimalStep(least);
  }
}

/** 1, 2 or 5 times a power of ten. */
function decimalStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  const digit = [1, 2, 5, 10].find((digit) => digit * power >= least * (1 - 1e-9)) ?? 10;
  return digit * power;
}

function timeStep(least: number): number {
  return TIME_STEPS.find((step) => step >= least) ?? decimalStep(least / WEEK_MS) * WEEK_MS;
}

function multiples(low: number, high: number, step: number): Ticks {
  const at: number[] = [];
  const last = Math.floor(high / step + 1e-9);
  for (let count = Math.ceil(low / step - 1e-9); count <= last; count++) {
    // 3 × 0.1 is not 0.3 in binary.
    at.push(Number((count * step).toPrecision(15)));
  }
  return { at, step };
}

function decades(low: number, high: number, digits: readonly number[]): number[] {
  const ticks: number[] = [];
  for (let power = Math.floor(Math.log10(low)); power <= Math.log10(high); power++) {
    for (const digit of digits) {
      const tick = Number((digit * 10 ** power).toPrecision(12));
      if (tick >= low && tick <= high) ticks.push(tick);
    }
  }
  return ticks;
}

export interface ValueRange {
  readonly low: number;
  readonly high: number;
}

/** Air over the highest value, and over a threshold, whose label stands there. */
const HEADROOM = 1.06;
const THRESHOLD_HEADROOM = 1.16;

/** Dots stretch an axis to so many times what it has without them; farther ones would flatten its series. */
const DOT_STRETCH = 2;

/**
 * The values from the bottom to the top of the plot. Zero is always in it, and so are threshold and goal: the
 * distance to them is what people look for. So are dots that are not far beyond all that.
 */
export function valueRange(chart: ChartProps): ValueRange {
  const { unit, threshold, levels = [] } = chart;
  let { low, high } = spanOf(chart);
  for (const { value } of dotsInReach(chart)) {
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  const range = padded(low, high, unit);
  const labelled = Math.max(threshold?.value ?? 0, ...levels.map(({ value }) => value));
  return { ...range, high: Math.max(range.high, labelled * THRESHOLD_HEADROOM) };
}

/** The dots that an axis reaches to; all of them where nothing else is drawn. */
export function dotsInReach(chart: ChartProps): readonly ChartDot[] {
  const { low, high } = spanOf(chart);
  if (low === high) return visibleDots(chart);
  return visibleDots(chart).filter(({ value }) =>
    value >= low * DOT_STRETCH && value <= high * DOT_STRETCH
  );
}

/** What series and limits reach over. */
function spanOf({ series, threshold, goal, levels = [] }: ChartProps): ValueRange {
  const stacked = series.filter(isStacked);
  const alone = series.filter((one) => !isStacked(one));
  const atLevels = levels.map(({ value }) => value);
  const limits = [threshold?.value ?? 0, goal?.value ?? 0, ...atLevels];
  let low = Math.min(0, ...limits);
  let high = Math.max(0, ...limits);
  for (const value of [...alone.flatMap(({ values }) => values), ...totals(stacked)]) {
    if (!isReal(value)) continue;
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  return { low, high };
}

/** Whether a series stands upon those before it. */
export function isStacked({ kind }: { readonly kind?: ChartSeries["kind"] | undefined }): boolean {
  return kind === "stacked" || kind === "stacked-area";
}

/** A range from 0 for counts. */
export function countRange(counts: readonly number[]): ValueRange {
  return padded(0, Math.max(0, ...counts), "count");
}

/** Where each stacked series begins and ends in each bucket; null where it has no value. */
export function stack(
  series: readonly ChartSeries[],
): (readonly ({ readonly from: number; readonly to: number } | null)[])[] {
  const reached: number[] = [];
  return series.map(({ values }) =>
    values.map((value, bucket) => {
      if (!isReal(value)) return null;
      const from = reached[bucket] ?? 0;
      reached[bucket] = from + Math.max(0, value);
      return { from, to: from + Math.max(0, value) };
    })
  );
}

function totals(stacked: readonly ChartSeries[]): number[] {
  return stack(stacked).flatMap((spans) => spans.map((span) => span?.to ?? 0));
}

function padded(low: number, high: number, unit: ChartUnit): ValueRange {
  if (low === 0 && high === 0) return { low, high: unit === "percent" ? 0.01 : 1 };
  // Nothing can be above all.
  const isWhole = unit === "percent" && high <= 1;
  const top = high * HEADROOM;
  return { low: low * HEADROOM, high: isWhole ? Math.min(1, top) : top };
}

// The logarithmic axis of durations, and what a drag along it chooses.

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

export interface DurationRange {
  /** ms, included. */
  readonly min: number;
  /** ms, excluded. */
  readonly max: number;
}

/** Beginnings and ends of a histogram's buckets in ms, ascending. */
export type Edges = readonly (readonly [from: number, to: number])[];

/**
 * The buckets that a drag has touched, whole, because what of a part of one lies in it is not known.
 *
 * @param a share of the axis where the drag began
 * @param b share of the axis where it is; before or after `a`
 * @returns null where no bucket was touched
 */
export function brushedRange(
  axis: LogAxis,
  edges: Edges,
  a: number,
  b: number,
): DurationRange | null {
  const low = durationAt(axis, Math.min(a, b));
  const high = durationAt(axis, Math.max(a, b));
  const touched = edges.filter(([from, to]) => from < high && to > low);
  const first = touched[0];
  const last = touched.at(-1);
  return first && last ? { min: first[0], max: last[1] } : null;
}

/**
 * The page narrowed to a range of durations, as `min` and `max` in ms.
 *
 * @param href path and query without `min` and `max`
 */
export function brushTarget(href: string, { min, max }: DurationRange): string {
  const [path = "", query = ""] = href.split("?", 2);
  const params = new URLSearchParams(query);
  params.set("min", plain(min));
  params.set("max", plain(max));
  return `${path}?${params}`;
}

/** The range that `brushTarget()` has put into the address of a page; null for all. */
export function brushedIn(search: URLSearchParams): DurationRange | null {
  const [min, max] = [Number(search.get("min") ?? NaN), Number(search.get("max") ?? NaN)];
  return min >= 0 && max > min && Number.isFinite(max) ? { min, max } : null;
}

/** Without an exponent, to the nanosecond. */
function plain(ms: number): string {
  return String(Number(ms.toFixed(6)));
}
