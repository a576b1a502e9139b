import type { QueryResult } from "./query_types.ts";
import {
  type ChartBand,
  type ChartDot,
  type ChartLevel,
  type ChartMarker,
  type ChartThreshold,
  TimeChart,
} from "../ui/charts/mod.ts";
import { type ChartPart, chartParts, chartSeries, type ChartView } from "./chart_parts.ts";
import { type LegendToggles, MetricLegend } from "./metric_legend.tsx";
import { chartTitle, type QueryNames } from "./query_words.ts";

export interface MetricChartProps {
  /** Unique on the page. */
  readonly id: string;
  readonly title: string;
  readonly result: QueryResult;
  /** Queries and formulas that are drawn. @default all */
  readonly queryIds?: readonly string[];
  /** Of `queryNames()`; without it, series without groups go by their query's id. */
  readonly names?: QueryNames;
  /** Bars and areas of several series that add up stand upon each other. @default "line" */
  readonly view?: ChartView;
  /** UCUM, instead of what the result says. */
  readonly unit?: string;
  readonly markers?: readonly ChartMarker[];
  /** Values in the unit of the first series. */
  readonly exemplars?: readonly ChartDot[];
  /** Path and query without `start` and `end`, which a drag over the plot adds. */
  readonly zoomHref?: string;
  /** In the unit of the first series, as are `goal` and `levels`. */
  readonly threshold?: ChartThreshold;
  readonly goal?: ChartThreshold;
  readonly levels?: readonly ChartLevel[];
  readonly bands?: readonly ChartBand[];
  /** Of the drawing in px. @default 180 */
  readonly height?: number;
  readonly note?: string;
  readonly syncKey?: string;
  /** `table` has last, min, avg and max of each series; `short` last and average; else none. @default "table" */
  readonly legend?: "table" | "short" | "none";
  /** Links in the legend that hide a query. */
  readonly toggles?: LegendToggles;
}

/**
 * The answer to queries as a chart; where their units differ, as a chart for each unit. Without anything to draw it is
 * an empty chart of the same size.
 */
export function MetricChart(props: MetricChartProps) {
  const { result, queryIds, names = {}, unit } = props;
  const [first = EMPTY, ...others] = chartParts(result, queryIds ?? null, names, unit ?? null);
  if (others.length === 0) return <PartChart {...props} part={first} />;
  return (
    <div class="grid gap-4">
      <PartChart {...props} title={partTitle(first, props)} part={first} />
      {others.map((part, index) => (
        <PartChart
          key={part.unit}
          {...withoutLimits(props)}
          id={`${props.id}-${index + 2}`}
          title={partTitle(part, props)}
          part={part}
        />
      ))}
    </div>
  );
}

const EMPTY: ChartPart = { ucum: "", unit: "number:", factor: 1, drawn: [] };

/** What is drawn in one of several charts, by its names where they are known. */
function partTitle({ drawn }: ChartPart, { title, names = {} }: MetricChartProps): string {
  const ids = [...new Set(drawn.map(({ series }) => series.queryId))];
  return ids.every((id) => names[id] === undefined) ? title : chartTitle(ids, names);
}

/** What is about the values of the first chart alone. */
function withoutLimits(props: MetricChartProps): MetricChartProps {
  const { threshold: _threshold, goal: _goal, levels: _levels, exemplars: _exemplars, ...rest } =
    props;
  return rest;
}

function PartChart({ part, ...props }: MetricChartProps & { readonly part: ChartPart }) {
  const { id, title, result, view = "line", legend = "table", toggles } = props;
  const { markers, exemplars, bands, threshold, goal, levels } = props;
  const { zoomHref, height, note, syncKey } = props;
  const scale = <T extends { readonly value: number }>(one: T): T => ({
    ...one,
    value: one.value * part.factor,
  });
  const hasSeries = part.drawn.length > 0;
  return (
    <TimeChart
      id={id}
      title={title}
      unit={part.unit}
      times={result.times}
      bucketMs={result.stepMs}
      series={part.drawn.map((one) => chartSeries(one, part, view))}
      {...legend === "short" ? {} : {
        legend: legend === "table" && hasSeries
          ? <MetricLegend title={title} part={part} view={view} toggles={toggles} />
          : null,
      }}
      {...markers && { markers }}
      {...exemplars && { dots: exemplars.map(scale) }}
      {...bands && { bands }}
      {...threshold && { threshold: scale(threshold) }}
      {...goal && { goal: scale(goal) }}
      {...levels && { levels: levels.map(scale) }}
      {...zoomHref !== undefined && { zoomHref }}
      {...height !== undefined && { height }}
      {...note !== undefined && { note }}
      {...syncKey !== undefined && { syncKey }}
    />
  );
}
