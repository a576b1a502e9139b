/** Small labels at the crosshair: its time, and what the markers beside it mean. */
import { type ChartProps, timeSpan } from "../chart_data.ts";
import { formatBucketStart } from "../value_format.ts";
import { markersNear } from "./markers.ts";

/** Px from the crosshair within which markers count as meant. */
const NEAR_PX = 7;
/** Labels of markers that stand this close together, at most. */
const MAX_LABELS = 3;

export interface Tags {
  /** Labels a bucket; null hides all. */
  show(bucket: number | null): void;
}

/** Puts the tags into the layer over the plot. */
export function tags(layer: HTMLElement, chart: ChartProps): Tags {
  const time = tag("chart-tag chart-tag-time");
  const marker = tag("chart-tag chart-tag-marker");
  layer.append(time, marker);
  const { start, end } = timeSpan(chart);
  return {
    show(bucket) {
      const from = bucket === null ? undefined : chart.times[bucket];
      if (from === undefined) {
        time.hidden = true;
        marker.hidden = true;
        return;
      }
      const width = layer.clientWidth;
      const left = (from + chart.bucketMs / 2 - start) / (end - start) * width;
      const reachMs = NEAR_PX / Math.max(1, width) * (end - start);
      place(time, formatBucketStart(from, chart.bucketMs), left, width);
      place(marker, markerWords(chart, from, reachMs), left, width);
    },
  };
}

function tag(name: string): HTMLElement {
  const element = document.createElement("div");
  element.className = name;
  element.hidden = true;
  // What it says is in the live region and in the table.
  element.ariaHidden = "true";
  return element;
}

/** Centred on the crosshair as far as the plot's edges let it. */
function place(element: HTMLElement, text: string, left: number, width: number): void {
  element.hidden = text === "";
  if (element.hidden) return;
  element.textContent = text;
  const half = element.offsetWidth / 2;
  const middle = Math.max(half, Math.min(left, width - half));
  element.style.transform = `translateX(${Math.round(middle - half)}px)`;
}

function markerWords(chart: ChartProps, from: number, reachMs: number): string {
  const near = markersNear(chart, from, reachMs).map(({ label }) => label);
  const shown = near.slice(0, MAX_LABELS);
  if (near.length > shown.length) shown.push(`${near.length - shown.length} more`);
  return shown.join("\n");
}
