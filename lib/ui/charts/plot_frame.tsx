import { t } from "../../core/language/translate.ts";
import type { ComponentChildren } from "preact";
import { isStacked, stack } from "./axis.ts";
import { type ChartProps, isReal } from "./chart_data.ts";

/** Room around the plot in px; the style sheet lays what script adds over the plot by the same numbers. */
const FRAME = { left: 56, right: 8, top: 10, bottom: 24 } as const;
/** Width of the plot in its own units; it is stretched to the width it gets. */
export const PLOT_WIDTH = 1000;

const DEFAULT_HEIGHT = 180;
/** From here to the right edge a label would be cut off. */
const LAST_LABEL = { wide: 0.96, narrow: 0.9 } as const;
const LABEL = "fill-muted text-meta tabular-nums";

export interface PlacedTick {
  /** From 0 at the left or the bottom to 1. */
  readonly at: number;
  readonly label: string;
}

interface PlotFrameProps {
  /** What the picture shows, in words. */
  readonly label: string;
  /** Of the whole drawing in px. */
  readonly height?: number | undefined;
  readonly valueTicks: readonly PlacedTick[];
  /** Ticks below the plot: those that fit a wide box, and those for a phone. */
  readonly ticks: { readonly wide: readonly PlacedTick[]; readonly narrow: readonly PlacedTick[] };
  /** What the ticks below are in, as "UTC". */
  readonly corner?: string;
  /** SVG in units of {@linkcode PLOT_WIDTH} by {@linkcode plotHeight}; stretched. */
  readonly children: ComponentChildren;
  /** SVG over it in percent of the plot's width and px of its height; not stretched. */
  readonly above?: ComponentChildren;
  /** The same for links, for the pointer alone: they must not be within a picture. */
  readonly links?: ComponentChildren;
}

/** Height of the plot itself, without the axes, in px. */
export function plotHeight(height = DEFAULT_HEIGHT): number {
  return height - FRAME.top - FRAME.bottom;
}

/**
 * A plot with axes, drawn on the server. Its width is that of its box and its labels are not stretched,
 * all without inline styles, which the page's policy forbids.
 */
export function PlotFrame(props: PlotFrameProps) {
  const { label, valueTicks, ticks, corner, children, above, links } = props;
  const inner = plotHeight(props.height);
  const height = inner + FRAME.top + FRAME.bottom;
  const y = (at: number) => round(FRAME.top + inner * (1 - at));
  return (
    <div class="flex">
      <svg
        width={FRAME.left}
        height={height}
        // Long words of other languages reach into the padding of the card.
        class="block shrink-0 overflow-visible"
        aria-hidden="true"
      >
        {valueTicks.map((tick) => (
          <text
            key={tick.at}
            x={FRAME.left - 6}
            y={y(tick.at)}
            dy="0.35em"
            text-anchor="end"
            class={LABEL}
          >
            {tick.label}
          </text>
        ))}
        {corner && <text y={height - 7} class={LABEL}>{corner}</text>}
      </svg>
      <svg
        role="img"
        aria-label={label}
        height={height}
        class="mr-2 block w-0 grow overflow-visible"
      >
        {valueTicks.map(({ at }) => (
          <line key={at} x2="100%" y1={y(at)} y2={y(at)} class="stroke-line" />
        ))}
        <line x2="100%" y1={y(0)} y2={y(0)} class="stroke-line-strong" />
        <svg
          y={FRAME.top}
          width="100%"
          height={inner}
          viewBox={`0 0 ${PLOT_WIDTH} ${inner}`}
          preserveAspectRatio="none"
        >
          {children}
        </svg>
        <svg y={FRAME.top} width="100%" height={inner} class="overflow-visible">{above}</svg>
        <TickLabels ticks={ticks.wide} most={LAST_LABEL.wide} y={height - 7} class="chart-wide" />
        <TickLabels
          ticks={ticks.narrow}
          most={LAST_LABEL.narrow}
          y={height - 7}
          class="chart-narrow"
        />
      </svg>
      {links && (
        <svg aria-hidden="true" height={inner} class="chart-links" data-chart-links>{links}</svg>
      )}
    </div>
  );
}

interface TickLabelsProps {
  readonly ticks: readonly PlacedTick[];
  /** Ticks before and after have no label. */
  readonly least?: number;
  readonly most: number;
  readonly y: number;
  readonly class: string;
}

/** What ticks below a plot are called. */
export function TickLabels({ ticks, least = 0, most, y, class: name }: TickLabelsProps) {
  return (
    <g class={name} text-anchor="middle" aria-hidden="true">
      {ticks.filter(({ at }) => at >= least && at <= most).map(({ at, label }) => (
        <text key={at} x={percent(at)} y={y} class={LABEL}>{label}</text>
      ))}
    </g>
  );
}

/** A share of the plot's width as SVG writes it: `12.5%`. */
export function percent(share: number): string {
  return `${Math.round(share * 100_000) / 1000}%`;
}

/** To a tenth of a pixel, which nobody sees. */
export function round(px: number): number {
  return Math.round(px * 10) / 10;
}

interface DataTableProps {
  readonly caption: string;
  readonly columns: readonly string[];
  /** First cell and the others of each row. */
  readonly rows: readonly (readonly [ComponentChildren, ...string[]])[];
  /** Under the table. */
  readonly children?: ComponentChildren;
}

/**
 * The data of a chart as a table behind a toggle. It is styled as a whole, because class names at each of
 * some thousand cells would be most of the page.
 */
export function DataTable({ caption, columns, rows, children }: DataTableProps) {
  return (
    <details class="mt-1 text-sm">
      <summary class="inline-block text-meta text-muted underline hover:text-ink">
        {t("Show as a table")}
      </summary>
      <div
        class="mt-2 max-h-64 overflow-auto rounded-md border border-line"
        role="group"
        aria-label={t("{caption}, data", { caption })}
        tabindex={0}
      >
        <table class="chart-table">
          <caption class="sr-only">{caption}</caption>
          <thead>
            <tr>{columns.map((column, index) => <th key={index} scope="col">{column}</th>)}</tr>
          </thead>
          <tbody>
            {rows.map(([head, ...cells], row) => (
              <tr key={row}>
                <th scope="row">{head}</th>
                {cells.map((cell, index) => <td key={index}>{cell}</td>)}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {children}
    </details>
  );
}

// What each series of a chart looks like: outline and filling.

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
