import {
  type ChartProps,
  type ChartSeries,
  type ChartThreshold,
  isEmpty,
  timeSpan,
  visibleDots,
  visibleMarkers,
} from "./chart_data.ts";
import { Bands, Levels } from "./alert_marks.tsx";
import { colorNames } from "./chart_color.ts";
import type { Projection } from "./geometry.ts";
import { percent, type PlacedTick, PLOT_WIDTH, PlotFrame, plotHeight } from "./plot_frame.tsx";
import { type SeriesShape, seriesShapes } from "./series_shape.ts";
import { seriesWords } from "./summary.ts";
import { timeTicks, valueTicks } from "./ticks.ts";
import { formatBucketStart, formatTick, formatTimeTick } from "./value_format.ts";
import { type ValueRange, valueRange } from "./value_range.ts";

/** Px between horizontal lines, at least. */
const LINE_SPACING = 36;
const TIME_LABELS = { wide: 8, narrow: 4 } as const;
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
      ticks={{
        wide: placedTimes(chart, TIME_LABELS.wide),
        narrow: placedTimes(chart, TIME_LABELS.narrow),
      }}
      corner="UTC"
      links={chart.dots && chart.dots.length > 0
        ? <Dots chart={chart} range={range} height={inner} />
        : undefined}
      above={
        <>
          {chart.goal && <Goal goal={chart.goal} y={toY(chart.goal.value, range, inner)} />}
          {chart.threshold && (
            <Threshold threshold={chart.threshold} y={toY(chart.threshold.value, range, inner)} />
          )}
          <Levels
            levels={chart.levels ?? []}
            toY={(value) => toY(value, range, inner)}
            height={inner}
          />
          <Markers chart={chart} height={inner} />
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
          <line y2={height} class="stroke-series-7" stroke-dasharray="4 3" stroke-width="1.5" />
          <path d="M-4.5-5h9L0 2z" class="fill-series-7" />
        </svg>
      ))}
    </>
  );
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
          <circle
            cx={percent((at - start) / (end - start))}
            cy={Math.round(toY(value, range, height) * 10) / 10}
            r="4"
          />
        </a>
      ))}
    </>
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

function placedTimes(chart: ChartProps, most: number): PlacedTick[] {
  const { start, end } = timeSpan(chart);
  const { at, step } = timeTicks(start, end, most);
  return at.map((time) => ({
    at: (time - start) / (end - start),
    label: formatTimeTick(time, step),
  }));
}
