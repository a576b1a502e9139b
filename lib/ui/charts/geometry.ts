/** The shapes of series as SVG path data. */
import { isReal } from "./chart_data.ts";

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

export interface BarSpan {
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
export function spansPath(spans: readonly (BarSpan | null)[], projection: Projection): string {
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
