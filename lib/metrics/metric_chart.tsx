import { message, t } from "../core/language/translate.ts";
import type { ComponentChildren } from "preact";
import { Cell, Row, Table } from "../ui/components/table.tsx";
import { isReal } from "../ui/charts/chart_data.ts";
import {
  type ChartBand,
  type ChartDot,
  type ChartLevel,
  type ChartMarker,
  type ChartThreshold,
  TimeChart,
} from "../ui/charts/mod.ts";
import { linePath, type Values } from "../ui/charts/plot_frame.tsx";
import { Swatch } from "../ui/charts/time_chart.tsx";
import {
  type ChartPart,
  chartParts,
  chartSeries,
  chartTitle,
  type ChartView,
  partValue,
  type QueryNames,
} from "./chart_parts.ts";
import type { QueryResult } from "./query_types.ts";

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

/** Leads to the same page with a query drawn or not. */
export interface LegendToggles {
  /** Ids of queries and formulas that are not drawn. */
  readonly hidden: readonly string[];
  readonly hrefOf: (queryId: string) => string;
}

interface MetricLegendProps {
  /** Read out. */
  readonly title: string;
  readonly part: ChartPart;
  readonly view: ChartView;
  readonly toggles?: LegendToggles | undefined;
}

/**
 * The series of a chart with the figures of their whole time. Script puts the values under the cursor into
 * `[data-chart-value]`.
 */
function MetricLegend({ title, part, view, toggles }: MetricLegendProps) {
  const { drawn } = part;
  return (
    <div
      class="metric-legend"
      role="group"
      aria-label={t("{title}, figures", { title })}
      tabindex={0}
    >
      <table>
        <thead>
          <tr>
            <th scope="col">{t("Series")}</th>
            <th scope="col">
              <span class="chart-summary">{t("Last")}</span>
            </th>
            <th scope="col">{t("Min")}</th>
            <th scope="col">{t("Avg")}</th>
            <th scope="col">{t("Max")}</th>
          </tr>
        </thead>
        <tbody>
          {drawn.map((one, index) => {
            const { queryId, figures } = one.series;
            return (
              <tr key={index}>
                <th scope="row">
                  <Swatch series={chartSeries(one, part, view)} position={index} />
                  <bdi title={one.label}>{one.label}</bdi>
                  {toggles && (
                    <a
                      href={toggles.hrefOf(queryId)}
                      aria-label={t("Hide {query}", { query: queryId })}
                      title={t("Hide everything of {query}", { query: queryId })}
                    >
                      {t("hide {query}", { query: queryId })}
                    </a>
                  )}
                </th>
                <td data-chart-value={index}>{partValue(figures.last, part)}</td>
                <td>{partValue(figures.min, part)}</td>
                <td>{partValue(figures.avg, part)}</td>
                <td>{partValue(figures.max, part)}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

interface FiguresTableProps {
  /** Read out. */
  readonly caption: string;
  readonly parts: readonly ChartPart[];
  /** The cell of a series' name. */
  readonly nameCell: (label: string) => ComponentChildren;
}

const FIGURES = {
  last: message("Last"),
  min: message("Min"),
  avg: message("Avg"),
  max: message("Max"),
} as const;

/** Every series of an answer with its figures over the whole time. */
export function FiguresTable({ caption, parts, nameCell }: FiguresTableProps) {
  const figures = Object.keys(FIGURES) as (keyof typeof FIGURES)[];
  return (
    <Table
      caption={caption}
      isWide
      columns={[
        { label: t("Series") },
        ...figures.map((figure) => ({ label: t(FIGURES[figure]), align: "right" as const })),
      ]}
    >
      {parts.flatMap((part) =>
        part.drawn.map(({ series, label }, index) => (
          <Row key={`${part.unit} ${index}`}>
            {nameCell(label)}
            {figures.map((figure) => (
              <Cell key={figure} align="right">{partValue(series.figures[figure], part)}</Cell>
            ))}
          </Row>
        ))
      )}
    </Table>
  );
}

interface ValueLineProps {
  readonly values: Values;
  /** Class of the line's colour. */
  readonly stroke: string;
  /** px @default 40 */
  readonly height?: number;
}

const WIDTH = 200;
/** So that the line's own width stays in the drawing. */
const MARGIN = 2;

/** The course of values without axes, from the least to the largest; as wide as its place. */
export function ValueLine({ values, stroke, height = 40 }: ValueLineProps) {
  const real = values.filter(isReal);
  const low = Math.min(...real);
  const span = Math.max(...real) - low;
  const width = WIDTH / Math.max(1, values.length);
  const path = linePath(values, {
    x: (bucket) => bucket * width,
    y: (value) =>
      span === 0 ? height / 2 : MARGIN + (1 - (value - low) / span) * (height - 2 * MARGIN),
    width,
    thin: 1,
  });
  return (
    <svg
      aria-hidden="true"
      height={height}
      viewBox={`0 0 ${WIDTH} ${height}`}
      preserveAspectRatio="none"
      class="block w-full"
    >
      {real.length > 0 && (
        <path
          d={path}
          fill="none"
          class={stroke}
          stroke-width="1.5"
          vector-effect="non-scaling-stroke"
        />
      )}
    </svg>
  );
}
