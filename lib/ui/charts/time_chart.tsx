import { t } from "../../core/language/translate.ts";
import type { ComponentChildren } from "preact";
import ChartLife from "@/islands/ChartLife.tsx";
import { MarkLegend, TimePlot } from "./time_plot.tsx";
import { isStacked } from "./axis.ts";
import {
  type ChartProps,
  type ChartSeries,
  colorNames,
  formatBucket,
  formatBucketStart,
  formatValue,
  isEmpty,
  summarize,
  unitWords,
  visibleBands,
  visibleMarkers,
} from "./chart_data.ts";
import { packChart } from "./packed_chart.ts";
import { DataTable } from "./plot_frame.tsx";

interface TimeChartProps extends ChartProps {
  /**
   * Stands below the plot instead of the legend above it; cells with `data-chart-value`, counted as the series are, show
   * what is under the cursor.
   */
  readonly legend?: ComponentChildren;
}

/**
 * Series over time with their axes, a legend with figures, and the same data as a table. It is drawn on the
 * server; script adds a crosshair, a zoom by dragging, and reading by keyboard.
 */
export function TimeChart({ legend, ...chart }: TimeChartProps) {
  const isBlank = isEmpty(chart);
  return (
    <figure id={chart.id} class="chart-figure" aria-labelledby={`${chart.id}-title`}>
      <ChartHead chart={chart} isBlank={isBlank} hasLegend={!isBlank && legend === undefined} />
      <div class="min-w-0">
        <div class="chart-box mt-1" data-chart-box>
          <TimePlot chart={chart} />
          {isBlank && <p class="chart-blank">{t("No data in this time")}</p>}
        </div>
        {legend}
        {!isBlank && (
          <>
            <p class="sr-only" aria-live="polite" data-chart-words></p>
            <ChartTable chart={chart} />
            <ChartLife chart={packChart(chart)} />
          </>
        )}
      </div>
    </figure>
  );
}

interface ChartHeadProps {
  readonly chart: ChartProps;
  readonly isBlank: boolean;
  readonly hasLegend: boolean;
}

function ChartHead({ chart, isBlank, hasLegend }: ChartHeadProps) {
  return (
    <div class="min-w-0">
      <figcaption class="flex flex-wrap items-baseline justify-between gap-x-4">
        <span id={`${chart.id}-title`} class="min-w-0 font-semibold [overflow-wrap:anywhere]">
          {chart.title}
        </span>
        <span class="text-meta text-muted">
          {t("{unit} · {bucket} a point", {
            unit: unitWords(chart.unit),
            bucket: formatBucket(chart.bucketMs),
          })}
        </span>
      </figcaption>
      {chart.note && <p class="text-meta text-muted">{chart.note}</p>}
      {hasLegend && <Legend series={chart.series} unit={chart.unit} />}
      {!isBlank && <MarkLegend chart={chart} />}
    </div>
  );
}

/** More would be most of the page. */
const MAX_TABLE_CELLS = 5_000;

function ChartTable({ chart }: { chart: ChartProps }) {
  const { title, unit, times, bucketMs } = chart;
  const most = Math.max(1, Math.floor(MAX_TABLE_CELLS / Math.max(1, times.length)));
  const series = chart.series.slice(0, most);
  const markers = visibleMarkers(chart);
  const bands = visibleBands(chart);
  return (
    <DataTable
      caption={title}
      columns={[t("From"), ...series.map(({ label }) => label)]}
      rows={times.map((time, bucket) => [
        formatBucketStart(time, bucketMs),
        ...series.map(({ values }) => formatValue(values[bucket], unit)),
      ])}
    >
      {series.length < chart.series.length && (
        <p class="mt-2 text-meta text-muted">
          {t("The first {shown} of {all} series are in the table.", {
            shown: series.length,
            all: chart.series.length,
          })}
        </p>
      )}
      {markers.length + bands.length > 0 && (
        <ul class="mt-2 text-meta text-muted">
          {bands.map(({ from, to, label }, index) => (
            <li key={`band${index}`}>
              {`${formatBucketStart(from, 1000)} – ${formatBucketStart(to, 1000)}: ${label}`}
            </li>
          ))}
          {markers.map(({ at, label, href }, index) => (
            <li key={index}>
              {`${formatBucketStart(at, 1000)}: `}
              {href === undefined ? label : <a class="link" href={href}>{label}</a>}
            </li>
          ))}
        </ul>
      )}
    </DataTable>
  );
}

/**
 * The series with their total or last value, and their average or what they are over the whole time. Script puts the values under the cursor
 * into `[data-chart-value]`.
 */
function Legend({ series, unit }: Pick<ChartProps, "series" | "unit">) {
  return (
    <ul class="flex flex-wrap gap-x-5 text-sm">
      {series.map((one, index) => {
        const { whole } = one;
        const { word, main, average } = summarize(one.values, unit);
        return (
          <li key={index} class="flex min-w-0 max-w-full items-baseline gap-1.5">
            <Swatch series={one} position={index} />
            <span class="min-w-0 truncate" title={one.label}>{one.label}</span>
            <span class="chart-summary text-meta text-muted">{word}</span>
            <span data-chart-value={index} class="min-w-[7ch] tabular-nums">
              {formatValue(main, unit)}
            </span>
            <span
              class="text-meta whitespace-nowrap text-muted tabular-nums"
              title={whole === undefined ? t("Mean over the buckets") : t("Over the whole time")}
            >
              {whole === undefined
                ? t("avg {value}", { value: formatValue(average, unit) })
                : t("all {value}", { value: formatValue(whole, unit) })}
            </span>
          </li>
        );
      })}
    </ul>
  );
}

interface SwatchProps {
  readonly series: Pick<ChartSeries, "kind" | "color" | "isDashed">;
  /** Of the series, from 0. */
  readonly position: number;
}

/** A piece of line for lines, a box for bars. */
export function Swatch({ series, position }: SwatchProps) {
  const { fill, stroke } = colorNames(series.color, position);
  const isBox = series.kind === "bars" || isStacked(series);
  return (
    <svg width="12" height="10" class="shrink-0 self-center" aria-hidden="true">
      {isBox ? <rect x="1" width="10" height="10" rx="2" class={fill} /> : (
        <line
          x2="12"
          y1="5"
          y2="5"
          class={stroke}
          stroke-width="2.5"
          stroke-dasharray={series.isDashed ? "4 2" : undefined}
        />
      )}
    </svg>
  );
}
