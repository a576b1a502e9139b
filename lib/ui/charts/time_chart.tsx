import type { ComponentChildren } from "preact";
import ChartLife from "@/islands/ChartLife.tsx";
import { MarkLegend } from "./alert_marks.tsx";
import { type ChartProps, isEmpty, packChart, visibleBands, visibleMarkers } from "./chart_data.ts";
import { DataTable } from "./data_table.tsx";
import { Legend } from "./legend.tsx";
import { TimePlot } from "./time_plot.tsx";
import { formatBucket, formatBucketStart, formatValue, unitWords } from "./value_format.ts";

export interface TimeChartProps extends ChartProps {
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
          {isBlank && <p class="chart-blank">No data in this time</p>}
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
          {unitWords(chart.unit)} · {formatBucket(chart.bucketMs)} a point
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
      columns={["From", ...series.map(({ label }) => label)]}
      rows={times.map((time, bucket) => [
        formatBucketStart(time, bucketMs),
        ...series.map(({ values }) => formatValue(values[bucket], unit)),
      ])}
    >
      {series.length < chart.series.length && (
        <p class="mt-2 text-meta text-muted">
          {`The first ${series.length} of ${chart.series.length} series are in the table.`}
        </p>
      )}
      {markers.length + bands.length > 0 && (
        <ul class="mt-2 text-meta text-muted">
          {bands.map(({ from, to, label }, index) => (
            <li key={`band${index}`}>
              {`${formatBucketStart(from, 1000)} – ${formatBucketStart(to, 1000)}: ${label}`}
            </li>
          ))}
          {markers.map(({ at, label }, index) => (
            <li key={index}>{`${formatBucketStart(at, 1000)}: ${label}`}</li>
          ))}
        </ul>
      )}
    </DataTable>
  );
}
