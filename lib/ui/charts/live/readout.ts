/** What the page says about the bucket under the cursor. */
import { type ChartProps, visibleMarkers } from "../chart_data.ts";
import { formatBucketStart, formatValue } from "../value_format.ts";

export interface Readout {
  /** Writes a bucket's values into the legend; null brings its summary back. */
  show(bucket: number | null): void;
  /** Has a bucket's values read out. */
  announce(bucket: number): void;
}

/** Writes into the legend and the live region of a chart's figure. */
export function readout(figure: HTMLElement, chart: ChartProps): Readout {
  const cells = [...figure.querySelectorAll<HTMLElement>("[data-chart-value]")];
  const summaries = cells.map((cell) => cell.textContent);
  const words = figure.querySelector<HTMLElement>("[data-chart-words]");
  return {
    show(bucket) {
      figure.toggleAttribute("data-chart-reading", bucket !== null);
      cells.forEach((cell, index) => {
        cell.textContent = bucket === null
          ? summaries[index] ?? ""
          : formatValue(chart.series[index]?.values[bucket], chart.unit);
      });
    },
    announce(bucket) {
      if (words) words.textContent = bucketWords(chart, bucket);
    },
  };
}

/** A bucket in words: `2026-11-21 08:05 UTC: p50 12.3 ms, p95 40 ms, release web@1.4.0`. */
export function bucketWords(chart: ChartProps, bucket: number): string {
  const time = chart.times[bucket];
  if (time === undefined) return "";
  const values = chart.series.map(({ label, values }) =>
    `${label} ${formatValue(values[bucket], chart.unit)}`
  );
  const markers = visibleMarkers(chart)
    .filter(({ at }) => at >= time && at < time + chart.bucketMs)
    .map(({ label }) => label);
  return `${formatBucketStart(time, chart.bucketMs)}: ${[...values, ...markers].join(", ")}`;
}
