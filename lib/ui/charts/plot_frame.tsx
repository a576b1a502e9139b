import type { ComponentChildren } from "preact";

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
  readonly height: number | undefined;
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
export function plotHeight(height: number | undefined): number {
  return (height ?? DEFAULT_HEIGHT) - FRAME.top - FRAME.bottom;
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
      <svg width={FRAME.left} height={height} class="block shrink-0" aria-hidden="true">
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
  readonly most: number;
  readonly y: number;
  readonly class: string;
}

function TickLabels({ ticks, most, y, class: name }: TickLabelsProps) {
  return (
    <g class={name} text-anchor="middle" aria-hidden="true">
      {ticks.filter(({ at }) => at <= most).map(({ at, label }) => (
        <text key={at} x={percent(at)} y={y} class={LABEL}>{label}</text>
      ))}
    </g>
  );
}

/** A share of the plot's width as SVG writes it: `12.5%`. */
export function percent(share: number): string {
  return `${Math.round(share * 100_000) / 1000}%`;
}

function round(px: number): number {
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
        Show as a table
      </summary>
      <div
        class="mt-2 max-h-64 overflow-auto rounded-md border border-line"
        role="group"
        aria-label={`${caption}, data`}
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
