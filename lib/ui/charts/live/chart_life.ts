/** Brings a chart that the server has drawn to life: crosshair, keyboard, zoom. */
import { t } from "@/lib/core/language/translate.ts";
import { type ChartProps, formatBucketStart, formatValue, visibleMarkers } from "../chart_data.ts";
import { chooseByDragging, stretchBetween, zoomTarget } from "./drag.ts";
import { ChartLayer } from "./layer.ts";

/**
 * Starts a chart by its id.
 *
 * @returns a function that ends it; null where the page has no such chart
 */
export function startChart(chart: ChartProps): (() => void) | null {
  const figure = document.getElementById(chart.id);
  const box = figure?.querySelector<HTMLElement>("[data-chart-box]");
  if (!figure || !box) return null;
  const live = new LiveChart(box, chart, readout(figure, chart));
  return () => live.stop();
}

class LiveChart {
  readonly #end = new AbortController();
  readonly #layer: ChartLayer;
  #bucket: number | null = null;

  constructor(
    readonly box: HTMLElement,
    readonly chart: ChartProps,
    readonly output: Readout,
  ) {
    this.#layer = new ChartLayer(box, chart);
    this.#followPointer();
    this.#followKeys();
    if (chart.zoomHref !== undefined) this.#zoomByDragging(chart.zoomHref);
    if (chart.syncKey !== undefined) {
      const leave = joinCrosshair(chart.syncKey, this.#follow);
      this.#end.signal.addEventListener("abort", leave, { once: true });
    }
  }

  stop(): void {
    this.#moveTo(null);
    this.#end.abort();
    this.#layer.remove();
  }

  /** Moves the crosshair, here and in the charts that share it. */
  #moveTo(bucket: number | null): void {
    if (bucket === this.#bucket) return;
    this.#show(bucket);
    const { syncKey, times, bucketMs } = this.chart;
    if (syncKey === undefined) return;
    const time = bucket === null ? undefined : times[bucket];
    shareCrosshair(syncKey, this.#follow, time === undefined ? null : time + bucketMs / 2);
  }

  /** Where another chart has put the crosshair. */
  #follow = (at: number | null): void => {
    this.#show(at === null ? null : bucketAt(this.chart, at));
  };

  #show(bucket: number | null): void {
    if (bucket === this.#bucket) return;
    this.#bucket = bucket;
    this.#layer.showBucket(bucket);
    this.output.show(bucket);
  }

  #followPointer(): void {
    const { signal } = this.#end;
    const { element } = this.#layer;
    const move = ({ clientX }: PointerEvent) => {
      this.#moveTo(bucketAt(this.chart, this.#layer.timeAt(clientX)));
    };
    element.addEventListener("pointermove", move, { signal });
    element.addEventListener("pointerdown", move, { signal });
    element.addEventListener("pointerleave", () => this.#moveTo(null), { signal });
  }

  #followKeys(): void {
    const { box, chart } = this;
    const { signal } = this.#end;
    box.tabIndex = 0;
    box.setAttribute("role", "application");
    box.setAttribute("aria-roledescription", t("chart"));
    box.setAttribute(
      "aria-label",
      t("{title}: the arrow keys read its values", { title: chart.title }),
    );
    box.addEventListener("blur", () => this.#moveTo(null), { signal });
    box.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
      const bucket = bucketAfterKey(event.key, this.#bucket, chart.times.length);
      if (bucket === undefined) return;
      event.preventDefault();
      this.#moveTo(bucket);
      if (bucket !== null) this.output.announce(bucket);
    }, { signal });
  }

  #zoomByDragging(href: string): void {
    const { element } = this.#layer;
    element.classList.add("chart-zooms");
    chooseByDragging(element, {
      between: (fromX, toX) =>
        stretchBetween(this.chart, this.#layer.timeAt(fromX), this.#layer.timeAt(toX)),
      mark: (stretch) => this.#layer.showStretch(stretch),
      choose: (stretch) => location.assign(zoomTarget(href, stretch)),
    }, this.#end.signal);
  }
}

interface Readout {
  /** Writes a bucket's values into the legend; null brings its summary back. */
  show(bucket: number | null): void;
  /** Has a bucket's values read out. */
  announce(bucket: number): void;
}

/** Writes into the legend and the live region of a chart's figure. */
function readout(figure: HTMLElement, chart: ChartProps): Readout {
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

/** Shows the crosshair at an instant in ms, or hides it for null. */
type ShowCrosshair = (at: number | null) => void;

const groups = new Map<string, Set<ShowCrosshair>>();

/** Lets a chart take part in the group of a key; answers with a function that ends it. */
export function joinCrosshair(key: string, show: ShowCrosshair): () => void {
  const group = groups.get(key) ?? new Set();
  groups.set(key, group.add(show));
  return () => {
    group.delete(show);
    if (group.size === 0) groups.delete(key);
  };
}

/** Moves the crosshair of all other charts of the group. */
export function shareCrosshair(key: string, own: ShowCrosshair, at: number | null): void {
  for (const show of groups.get(key) ?? []) {
    if (show !== own) show(at);
  }
}

/** The bucket whose middle is nearest to an instant in ms; null without buckets. */
export function bucketAt({ times, bucketMs }: ChartProps, at: number): number | null {
  let nearest: number | null = null;
  let least = Infinity;
  times.forEach((time, bucket) => {
    const distance = Math.abs(time + bucketMs / 2 - at);
    if (distance >= least) return;
    nearest = bucket;
    least = distance;
  });
  return nearest;
}

/**
 * The bucket that a key leads to.
 *
 * @param bucket where the cursor is; null for nowhere
 * @param count how many buckets there are, at least one
 * @returns null to take the cursor away, undefined for keys that mean nothing here
 */
export function bucketAfterKey(
  key: string,
  bucket: number | null,
  count: number,
): number | null | undefined {
  switch (key) {
    case "ArrowLeft":
      return bucket === null ? count - 1 : Math.max(0, bucket - 1);
    case "ArrowRight":
      return bucket === null ? 0 : Math.min(count - 1, bucket + 1);
    case "Home":
      return 0;
    case "End":
      return count - 1;
    case "Escape":
      return null;
    default:
      return undefined;
  }
}
