import ChartLife from "../../../islands/ChartLife.tsx";
import { type ChartProps, isEmpty, packChart, visibleMarkers } from "./chart_data.ts";
import { DataTable } from "./data_table.tsx";
import { Legend } from "./legend.tsx";
import { TimePlot } from "./time_plot.tsx";
import { formatBucket, formatBucketStart, formatValue, UNIT_WORDS } from "./value_format.ts";

/**
 * Series over time with their axes, a legend with figures, and the same data as a table. It is drawn on the
 * server; script adds a crosshair, a zoom by dragging, and reading by keyboard.
 */
export function TimeChart(chart: ChartProps) {
  const isBlank = isEmpty(chart);
  return (
    <figure id={chart.id} class="chart-figure" aria-labelledby={`${chart.id}-title`}>
      <ChartHead chart={chart} isBlank={isBlank} />
      <div class="min-w-0">
        <div class="chart-box mt-1" data-chart-box>
          <TimePlot chart={chart} />
          {isBlank && <p class="chart-blank">No data in this time</p>}
        </div>
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

function ChartHead({ chart, isBlank }: { chart: ChartProps; isBlank: boolean }) {
  return (
    <div class="min-w-0">
      <figcaption class="flex flex-wrap items-baseline justify-between gap-x-4">
        <span id={`${chart.id}-title`} class="min-w-0 font-semibold [overflow-wrap:anywhere]">
          {chart.title}
        </span>
        <span class="text-meta text-muted">
          {UNIT_WORDS[chart.unit]} · {formatBucket(chart.bucketMs)} a point
        </span>
      </figcaption>
      {chart.note && <p class="text-meta text-muted">{chart.note}</p>}
      {!isBlank && <Legend series={chart.series} unit={chart.unit} />}
    </div>
  );
}

function ChartTable({ chart }: { chart: ChartProps }) {
  const { title, unit, times, bucketMs, series } = chart;
  const markers = visibleMarkers(chart);
  return (
    <DataTable
      caption={title}
      columns={["From", ...series.map(({ label }) => label)]}
      rows={times.map((time, bucket) => [
        formatBucketStart(time, bucketMs),
        ...series.map(({ values }) => formatValue(values[bucket], unit)),
      ])}
    >
      {markers.length > 0 && (
        <ul class="mt-2 text-meta text-muted">
          {markers.map(({ at, label }, index) => (
            <li key={index}>{`${formatBucketStart(at, 1000)}: ${label}`}</li>
          ))}
        </ul>
      )}
    </DataTable>
  );
}
