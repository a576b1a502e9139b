/** What judges the values of a chart: levels as lines across it, stretches of time shaded behind it. */
import {
  type ChartBand,
  type ChartLevel,
  type ChartProps,
  timeSpan,
  visibleBands,
} from "./chart_data.ts";
import { PLOT_WIDTH } from "./plot_frame.tsx";

// Whole class names, because Tailwind looks for them in the source.
const LEVEL_LOOKS: Readonly<Record<ChartLevel["tone"], { stroke: string; fill: string }>> = {
  danger: { stroke: "stroke-danger", fill: "fill-danger" },
  warning: { stroke: "stroke-warning", fill: "fill-warning" },
  ok: { stroke: "stroke-ok", fill: "fill-ok" },
};
const BAND_FILLS: Readonly<Record<ChartBand["tone"], string>> = {
  danger: "fill-danger",
  warning: "fill-warning",
  muted: "fill-line-strong",
};
const LEVEL_DASHES: Readonly<Record<ChartLevel["tone"], string>> = {
  danger: "6 3",
  warning: "3 3",
  ok: "1 3",
};
/** Px of the strip on top of a band, by which it is seen without its colour. */
const STRIP = 4;

interface LevelsProps {
  readonly levels: readonly ChartLevel[];
  readonly toY: (value: number) => number;
  /** Of the plot. */
  readonly height: number;
}

/** Room that a label needs, in px. */
const LABEL = 14;

/** Levels across the plot; the label of the highest stands above its line, the others' below theirs. */
export function Levels({ levels, toY, height }: LevelsProps) {
  const highest = Math.max(...levels.map(({ value }) => value));
  return (
    <>
      {levels.map(({ value, label, tone }) => {
        const y = toY(value);
        const isAbove = (value === highest || y > height - LABEL) && y >= LABEL;
        const { stroke, fill } = LEVEL_LOOKS[tone];
        const isLeft = tone === "ok";
        return (
          <g key={label}>
            <line x2="100%" y1={y} y2={y} class={stroke} stroke-dasharray={LEVEL_DASHES[tone]} />
            <text
              x={isLeft ? "4" : "100%"}
              y={isAbove ? y - 4 : y + 12}
              text-anchor={isLeft ? "start" : "end"}
              class={`chart-halo text-meta ${fill}`}
            >
              {label}
            </text>
          </g>
        );
      })}
    </>
  );
}

/** Shaded stretches of time, in units of the stretched plot. */
export function Bands({ chart, height }: { chart: ChartProps; height: number }) {
  const { start, end } = timeSpan(chart);
  const scale = PLOT_WIDTH / Math.max(1, end - start);
  return (
    <>
      {visibleBands(chart).map(({ from, to, tone }, index) => {
        const place = { x: round((from - start) * scale), width: round((to - from) * scale) };
        return (
          <g key={index} class={BAND_FILLS[tone]}>
            <rect {...place} height={height} fill-opacity="0.12" />
            <rect {...place} height={STRIP} fill-opacity="0.8" />
          </g>
        );
      })}
    </>
  );
}

/** Says what the shades mean. Renders nothing without any. */
export function MarkLegend({ chart }: { chart: ChartProps }) {
  const bands = new Map(visibleBands(chart).map((band) => [band.label, band]));
  if (bands.size === 0) return null;
  return (
    <ul class="flex flex-wrap gap-x-5 text-sm text-muted" aria-label="Shaded times">
      {[...bands.values()].map(({ label, tone }) => (
        <li key={label} class="flex items-center gap-1.5">
          <svg width="12" height="12" aria-hidden="true" class={BAND_FILLS[tone]}>
            <rect width="12" height="12" fill-opacity="0.12" />
            <rect width="12" height={STRIP} fill-opacity="0.8" />
          </svg>
          {label}
        </li>
      ))}
    </ul>
  );
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
