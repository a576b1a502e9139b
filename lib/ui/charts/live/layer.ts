/** What script lays over the plot of a chart: crosshair, points, and the stretch chosen by dragging. */
import { t } from "@/lib/core/language/translate.ts";
import { isStacked, type ValueRange, valueRange } from "../axis.ts";
import {
  type ChartMarker,
  type ChartProps,
  colorNames,
  formatBucketStart,
  isReal,
  timeSpan,
  visibleMarkers,
} from "../chart_data.ts";
import type { Stretch } from "./drag.ts";

/**
 * Positions are in percent and colours are custom properties, so that it follows the box's width and the
 * page's theme by itself.
 */
export class ChartLayer {
  /** As large as the plot; takes the pointer. */
  readonly element: HTMLElement = part("chart-layer");
  readonly #line = part("chart-crosshair");
  readonly #stretch = part("chart-stretch");
  readonly #points: readonly (HTMLElement | null)[];
  readonly #tags: Tags;
  readonly #range: ValueRange;

  constructor(box: HTMLElement, readonly chart: ChartProps) {
    this.#points = chart.series.map(({ kind, color }, index) => {
      if (kind === "bars" || isStacked({ kind })) return null;
      const point = part("chart-point");
      point.style.backgroundColor = `var(${colorNames(color, index).property})`;
      return point;
    });
    const points = this.#points.filter((point) => point !== null);
    this.element.append(this.#stretch, this.#line, ...points);
    this.element.hidden = false;
    this.#range = valueRange(chart);
    this.#tags = tags(this.element, chart);
    box.append(this.element);
  }

  /** Puts the crosshair on a bucket; null takes it away. */
  showBucket(bucket: number | null): void {
    const { times, bucketMs, series } = this.chart;
    const time = bucket === null ? undefined : times[bucket];
    this.#line.hidden = time === undefined;
    if (bucket === null || time === undefined) {
      for (const point of this.#points) point?.toggleAttribute("hidden", true);
      this.#tags.show(null);
      return;
    }
    const left = this.#left(time + bucketMs / 2);
    const { low, high } = this.#range;
    this.#line.style.left = left;
    this.#points.forEach((point, index) => {
      const value = series[index]?.values[bucket];
      if (point === null) return;
      point.hidden = !isReal(value);
      if (!isReal(value)) return;
      point.style.left = left;
      point.style.bottom = `${(value - low) / (high - low) * 100}%`;
    });
    this.#tags.show(bucket);
  }

  /** Marks a stretch of time; null takes the mark away. */
  showStretch(stretch: Stretch | null): void {
    this.#stretch.hidden = stretch === null;
    if (stretch === null) return;
    const { start, end } = timeSpan(this.chart);
    this.#stretch.style.left = this.#left(stretch.start);
    this.#stretch.style.width = `${(stretch.end - stretch.start) / (end - start) * 100}%`;
  }

  /** The instant in ms under a pointer, within the chart's time. */
  timeAt(clientX: number): number {
    const { left, width } = this.element.getBoundingClientRect();
    const { start, end } = timeSpan(this.chart);
    const share = width > 0 ? (clientX - left) / width : 0;
    return start + Math.min(1, Math.max(0, share)) * (end - start);
  }

  remove(): void {
    this.element.remove();
  }

  #left(at: number): string {
    const { start, end } = timeSpan(this.chart);
    return `${(at - start) / (end - start) * 100}%`;
  }
}

function part(name: string): HTMLElement {
  const element = document.createElement("div");
  element.className = name;
  element.hidden = true;
  return element;
}

/** Px from the crosshair within which markers count as meant. */
const NEAR_PX = 7;
/** Labels of markers that stand this close together, at most. */
const MAX_LABELS = 3;

interface Tags {
  /** Labels a bucket; null hides all. */
  show(bucket: number | null): void;
}

/** Puts the tags into the layer over the plot. */
function tags(layer: HTMLElement, chart: ChartProps): Tags {
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
  if (near.length > shown.length) {
    shown.push(t("{n} more|{n} more", { n: near.length - shown.length }));
  }
  return shown.join("\n");
}

/**
 * The markers that a bucket is to name: those within it, and those close to its middle.
 *
 * @param from the bucket's beginning in ms
 * @param reachMs how far from the middle is close
 */
export function markersNear(chart: ChartProps, from: number, reachMs: number): ChartMarker[] {
  const middle = from + chart.bucketMs / 2;
  return visibleMarkers(chart).filter(({ at }) =>
    (at >= from && at < from + chart.bucketMs) || Math.abs(at - middle) <= reachMs
  );
}
