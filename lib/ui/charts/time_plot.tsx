import { zoneName } from "../format_time.ts";
import { t } from "../../core/language/translate.ts";
import { type ValueRange, valueRange, valueTicks } from "./axis.ts";
import {
  type ChartBand,
  type ChartLevel,
  type ChartProps,
  type ChartSeries,
  type ChartThreshold,
  colorNames,
  formatBucketStart,
  formatTick,
  isEmpty,
  seriesWords,
  timeSpan,
  visibleBands,
  visibleDots,
  visibleMarkers,
} from "./chart_data.ts";
import {
  percent,
  type PlacedTick,
  PLOT_WIDTH,
  PlotFrame,
  plotHeight,
  type Projection,
  round,
  type SeriesShape,
  seriesShapes,
} from "./plot_frame.tsx";
import { placedTimes } from "./time_axis.tsx";

/** Px between horizontal lines, at least. */
const LINE_SPACING = 36;
/** Px; less would not be seen. */
const THIN_BAR = 1.5;

/** The picture of a chart over time, complete without script. */
export function TimePlot({ chart }: { chart: ChartProps }) {
  const range = valueRange(chart);
  const inner = plotHeight(chart.height);
  return (
    <PlotFrame
      label={pictureWords(chart)}
      height={chart.height}
      valueTicks={isEmpty(chart) ? [] : placedValues(chart, range, inner)}
      ticks={placedTimes(timeSpan(chart))}
      corner={zoneName()}
      links={hasLinks(chart)
        ? (
          <>
            <MarkerLinks chart={chart} />
            <Dots chart={chart} range={range} height={inner} />
          </>
        )
        : undefined}
      above={
        <>
          {/* First: the haloes of the labels cut their lines. */}
          <Markers chart={chart} height={inner} />
          {chart.goal && <Goal goal={chart.goal} y={toY(chart.goal.value, range, inner)} />}
          {chart.threshold && (
            <Threshold threshold={chart.threshold} y={toY(chart.threshold.value, range, inner)} />
          )}
          <Levels
            levels={chart.levels ?? []}
            toY={(value) => toY(value, range, inner)}
            height={inner}
          />
        </>
      }
    >
      <Bands chart={chart} height={inner} />
      {seriesShapes(chart, projectionOf(chart, range, inner)).map((shape, index) => {
        const series = chart.series[index];
        return series && <Shape key={index} shape={shape} series={series} position={index} />;
      })}
    </PlotFrame>
  );
}

interface ShapeProps {
  readonly shape: SeriesShape;
  readonly series: ChartSeries;
  readonly position: number;
}

function Shape({ shape: { line, filling, opacity }, series, position }: ShapeProps) {
  const { fill, stroke } = colorNames(series.color, position);
  return (
    <>
      {filling && (
        <path
          d={filling}
          class={fill}
          fill-opacity={opacity < 1 ? opacity : undefined}
        />
      )}
      {line && (
        <path
          d={line}
          fill="none"
          class={stroke}
          stroke-width="1.5"
          stroke-linecap="round"
          stroke-linejoin="round"
          stroke-dasharray={series.isDashed ? "5 4" : undefined}
          vector-effect="non-scaling-stroke"
        />
      )}
    </>
  );
}

function Threshold({ threshold, y }: { threshold: ChartThreshold; y: number }) {
  // Above the line there may be no room.
  const labelY = y < 14 ? y + 12 : y - 4;
  return (
    <>
      <line x2="100%" y1={y} y2={y} class="stroke-danger" stroke-dasharray="6 3" />
      <text x="100%" y={labelY} text-anchor="end" class="chart-halo fill-danger text-meta">
        {threshold.label}
      </text>
    </>
  );
}

/** Its label stands below the line, where what it says holds, and clear of the threshold's. */
function Goal({ goal, y }: { goal: ChartThreshold; y: number }) {
  return (
    <>
      <line x2="100%" y1={y} y2={y} class="stroke-ok" stroke-dasharray="6 3" />
      <text x="100%" y={y + 12} text-anchor="end" class="chart-halo fill-ok text-meta">
        {goal.label}
      </text>
    </>
  );
}

function Markers({ chart, height }: { chart: ChartProps; height: number }) {
  const { start, end } = timeSpan(chart);
  return (
    <>
      {visibleMarkers(chart).map(({ at, label }, index) => (
        <svg key={index} x={percent((at - start) / (end - start))} class="overflow-visible">
          <title>{`${label}, ${formatBucketStart(at, 1000)}`}</title>
          <line y2={height} class="chart-marker" />
          <path d="M-4.5-5h9L0 2z" class="fill-series-7" />
        </svg>
      ))}
    </>
  );
}

/** The heads of those markers that lead somewhere, where the pointer reaches them; the table has the same links. */
function MarkerLinks({ chart }: { chart: ChartProps }) {
  const { start, end } = timeSpan(chart);
  return (
    <>
      {visibleMarkers(chart).map(({ at, label, href }, index) =>
        href !== undefined && (
          <a key={index} href={href} tabindex={-1} class="chart-mark">
            <title>{`${label}, ${formatBucketStart(at, 1000)}`}</title>
            <svg x={percent((at - start) / (end - start))} class="overflow-visible">
              <path d="M-8-9h16v11H-8z" />
            </svg>
          </a>
        )
      )}
    </>
  );
}

function hasLinks(chart: ChartProps): boolean {
  return (chart.dots ?? []).length > 0 ||
    visibleMarkers(chart).some(({ href }) => href !== undefined);
}

interface DotsProps {
  readonly chart: ChartProps;
  readonly range: ValueRange;
  readonly height: number;
}

function Dots({ chart, range, height }: DotsProps) {
  const { start, end } = timeSpan(chart);
  return (
    <>
      {visibleDots(chart).map(({ at, value, href, label }, index) => (
        <a key={index} href={href} tabindex={-1} class="chart-dot">
          <title>{`${formatBucketStart(at, 1000)}: ${label}`}</title>
          <DotShape
            x={percent((at - start) / (end - start))}
            value={value}
            range={range}
            height={height}
          />
        </a>
      ))}
    </>
  );
}

/** A circle at its value; where that lies beyond the axis an arrow at its end, which tells no value. */
function DotShape({ x, value, range, height }: Omit<DotsProps, "chart"> & {
  readonly x: string;
  readonly value: number;
}) {
  if (value >= range.low && value <= range.high) {
    return <circle cx={x} cy={round(toY(value, range, height))} r="4" />;
  }
  const isAbove = value > range.high;
  return (
    <svg x={x} y={isAbove ? 0 : height} class="overflow-visible">
      <path d={isAbove ? "M-5 8L0 0L5 8Z" : "M-5-8L0 0L5-8Z"} />
    </svg>
  );
}

function pictureWords({ title, series, unit, goal, threshold, levels = [] }: ChartProps): string {
  const limits = [goal, threshold, ...levels].flatMap((limit) => limit?.label ?? []);
  return `${title}: ${[...series.map((one) => seriesWords(one, unit)), ...limits].join("; ")}`;
}

function projectionOf(chart: ChartProps, range: ValueRange, height: number): Projection {
  const { start, end } = timeSpan(chart);
  const scale = PLOT_WIDTH / Math.max(1, end - start);
  return {
    x: (bucket) => ((chart.times[bucket] ?? end) - start) * scale,
    y: (value) => toY(value, range, height),
    width: chart.bucketMs * scale,
    thin: THIN_BAR,
  };
}

function toY(value: number, { low, high }: ValueRange, height: number): number {
  return (1 - (value - low) / (high - low)) * height;
}

function placedValues({ unit }: ChartProps, { low, high }: ValueRange, height: number) {
  const { at, step } = valueTicks(low, high, unit, Math.max(2, height / LINE_SPACING));
  return at.map((value): PlacedTick => ({
    at: (value - low) / (high - low),
    label: formatTick(value, step, unit),
  }));
}

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
function Levels({ levels, toY, height }: LevelsProps) {
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
function Bands({ chart, height }: { chart: ChartProps; height: number }) {
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
    <ul class="flex flex-wrap gap-x-5 text-sm text-muted" aria-label={t("Shaded times")}>
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
