/** Brings a chart that the server has drawn to life: crosshair, keyboard, zoom. */
import type { ChartProps } from "../chart_data.ts";
import { bucketAfterKey, bucketAt } from "./buckets.ts";
import { joinCrosshair, shareCrosshair } from "./crosshair.ts";
import { onDrag } from "./drag.ts";
import { ChartLayer } from "./layer.ts";
import { type Readout, readout } from "./readout.ts";
import { type Stretch, stretchBetween, zoomTarget } from "./zoom.ts";

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
    box.setAttribute("aria-roledescription", "chart");
    box.setAttribute("aria-label", `${chart.title}: the arrow keys read its values`);
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
    let stretch: Stretch | null = null;
    const mark = (marked: Stretch | null) => {
      stretch = marked;
      this.#layer.showStretch(marked);
    };
    const { element } = this.#layer;
    element.classList.add("chart-zooms");
    onDrag(element, {
      moved: (fromX, toX) => {
        const [a, b] = [this.#layer.timeAt(fromX), this.#layer.timeAt(toX)];
        mark(stretchBetween(this.chart, a, b));
      },
      ended: () => {
        if (stretch !== null) location.assign(zoomTarget(href, stretch));
        mark(null);
      },
      cancelled: () => mark(null),
    }, this.#end.signal);
  }
}
