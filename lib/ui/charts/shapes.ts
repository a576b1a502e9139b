/** What each series of a chart looks like: outline and filling. */
import { isStacked, stack } from "./axis.ts";
import { type ChartProps, isReal } from "./chart_data.ts";

/** Path data; null where the series has no such part. */
export interface SeriesShape {
  readonly line: string | null;
  readonly filling: string | null;
  /** How much of the grid the filling covers, up to 1. */
  readonly opacity: number;
}

/** What lies in front of others lets them shine through. */
const SHEER = 0.16;
const STACKED = 0.4;

/** The shapes of all series of a chart, in their order. */
export function seriesShapes({ series }: ChartProps, projection: Projection): SeriesShape[] {
  const stacked = series.filter(isStacked);
  const barred = series.filter(({ kind }) => kind === "bars");
  const stackedSpans = stack(stacked);
  return series.map((one) => {
    const spans = stackedSpans[stacked.indexOf(one)] ?? [];
    switch (one.kind) {
      case "stacked":
        return filled(barsPath(spans, projection));
      case "stacked-area":
        return {
          line: linePath(spans.map((span) => span && span.to), projection),
          filling: spansPath(spans, projection),
          opacity: STACKED,
        };
      case "bars":
        return filled(
          barsPath(fromZero(one.values), projection, barred.indexOf(one), barred.length),
        );
      case "area":
        return {
          line: linePath(one.values, projection),
          filling: areaPath(one.values, projection),
          opacity: SHEER,
        };
      default:
        return { line: linePath(one.values, projection), filling: null, opacity: 1 };
    }
  });
}

function filled(filling: string): SeriesShape {
  return { line: null, filling, opacity: 1 };
}

function fromZero(values: readonly (number | null)[]): (BarSpan | null)[] {
  return values.map((value) => isReal(value) ? { from: 0, to: value } : null);
}

/** Turns buckets and values into coordinates of a drawing. */
export interface Projection {
  /** Left edge of a bucket. */
  x(bucket: number): number;
  /** Height of a value; grows downwards. */
  y(value: number): number;
  /** Width of a bucket. */
  readonly width: number;
  /** The least height of a bar whose value is not zero. */
  readonly thin: number;
}

export type Values = readonly (number | null)[];

interface BarSpan {
  readonly from: number;
  readonly to: number;
}

/** How much of its bucket a bar fills. */
const BAR_SHARE = 0.84;
/** How much of its bucket a value fills that has no neighbours to be joined with. */
const LONE_SHARE = 0.6;

/** A line through the buckets' middles, broken at gaps; a lone value is a dash. */
export function linePath(values: Values, projection: Projection): string {
  return runs(values).map((run) => {
    const points = pointsOf(run, projection);
    return `M${points.map(({ x, y }) => `${round(x)} ${round(y)}`).join("L")}`;
  }).join("");
}

/** The area between such a line and zero. */
export function areaPath(values: Values, projection: Projection): string {
  const ground = round(projection.y(0));
  return runs(values).map((run) => {
    const points = pointsOf(run, projection);
    const outline = points.map(({ x, y }) => `L${round(x)} ${round(y)}`).join("");
    return `M${round(points[0]?.x ?? 0)} ${ground}${outline}L${
      round(points.at(-1)?.x ?? 0)
    } ${ground}Z`;
  }).join("");
}

/** The area between the ends of spans, broken where there is none. */
function spansPath(spans: readonly (BarSpan | null)[], projection: Projection): string {
  const upper = runs(spans.map((span) => span && span.to));
  const lower = runs(spans.map((span) => span && span.from));
  return upper.map((run, index) => {
    const there = pointsOf(run, projection);
    const back = pointsOf(lower[index] ?? run, projection).reverse();
    return `M${[...there, ...back].map(({ x, y }) => `${round(x)} ${round(y)}`).join("L")}Z`;
  }).join("");
}

/**
 * A bar for every span that is not null and not nothing.
 *
 * @param slot which of several bars in a bucket this one is, counted from 0
 * @param slots how many bars stand side by side in a bucket
 */
export function barsPath(
  spans: readonly (BarSpan | null)[],
  projection: Projection,
  slot = 0,
  slots = 1,
): string {
  const width = projection.width * BAR_SHARE / slots;
  const inset = projection.width * (1 - BAR_SHARE) / 2 + slot * width;
  return spans.map((span, bucket) => {
    if (span === null || span.from === span.to) return "";
    const foot = projection.y(span.from);
    const height = foot - projection.y(span.to);
    // A single event among thousands still shows.
    const drawn = Math.sign(height) * Math.max(Math.abs(height), projection.thin);
    return `M${round(projection.x(bucket) + inset)} ${round(foot)}h${round(width)}v${
      round(-drawn)
    }h${round(-width)}Z`;
  }).join("");
}

interface Point {
  readonly x: number;
  readonly y: number;
}

interface Run {
  /** Bucket of the first value. */
  readonly first: number;
  readonly values: readonly number[];
}

function pointsOf({ first, values }: Run, projection: Projection): Point[] {
  const middle = projection.width / 2;
  const points = values.map((value, index) => ({
    x: projection.x(first + index) + middle,
    y: projection.y(value),
  }));
  const [lone] = points;
  if (lone === undefined || points.length > 1) return points;
  const reach = middle * LONE_SHARE;
  return [{ ...lone, x: lone.x - reach }, { ...lone, x: lone.x + reach }];
}

/** The stretches between gaps. */
function runs(values: Values): Run[] {
  const found: { first: number; values: number[] }[] = [];
  values.forEach((value, bucket) => {
    if (!isReal(value)) return;
    const open = found.at(-1);
    if (open && open.first + open.values.length === bucket) open.values.push(value);
    else found.push({ first: bucket, values: [value] });
  });
  return found;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
