/** What script lays over the plot of a chart: crosshair, points, and the stretch chosen by dragging. */
import { type ChartProps, isReal, timeSpan } from "../chart_data.ts";
import { colorNames } from "../chart_color.ts";
import { isStacked, type ValueRange, valueRange } from "../value_range.ts";
import { type Tags, tags } from "./tags.ts";
import type { Stretch } from "./zoom.ts";

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
