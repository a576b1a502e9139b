/** Choosing a range on a histogram by dragging over it. */
import { t } from "@/lib/core/language/translate.ts";
import {
  brushedRange,
  brushTarget,
  type DurationRange,
  type Edges,
  type LogAxis,
  shareAt,
} from "../axis.ts";
import { formatDuration } from "../../format.ts";
import { chooseByDragging } from "./drag.ts";

export interface Brush {
  /** Id of the histogram's figure. */
  readonly id: string;
  /** Path and query without `min` and `max`. */
  readonly href: string;
  readonly axis: LogAxis;
  readonly edges: Edges;
}

/**
 * Listens for drags over the bars.
 *
 * @returns a function that ends it; null where the page has no such histogram
 */
export function startBrush(brush: Brush): (() => void) | null {
  const bars = document.getElementById(brush.id)?.querySelector("[data-chart-links]");
  const frame = bars?.parentElement;
  if (!bars || !frame) return null;
  const end = new AbortController();
  const veil = document.createElement("div");
  veil.className = "chart-brush";
  veil.hidden = true;
  frame.append(veil);
  listen(brush, bars, veil, end.signal);
  return () => {
    end.abort();
    veil.remove();
  };
}

function listen(brush: Brush, bars: Element, veil: HTMLElement, signal: AbortSignal): void {
  const { axis, edges, href } = brush;
  chooseByDragging(bars, {
    between(fromX, toX) {
      const { left, width } = bars.getBoundingClientRect();
      const share = (x: number) => Math.min(1, Math.max(0, (x - left) / width));
      return brushedRange(axis, edges, share(fromX), share(toX));
    },
    mark(range) {
      veil.hidden = range === null;
      if (range) cover(veil, bars, axis, range);
    },
    choose: (range) => location.assign(brushTarget(href, range)),
  }, signal);
  // The browser would drag the bar's link away.
  bars.addEventListener("dragstart", (event) => event.preventDefault(), { signal });
}

/** Lays the veil over the chosen bars. */
function cover(veil: HTMLElement, bars: Element, axis: LogAxis, { min, max }: DurationRange): void {
  const { width } = bars.getBoundingClientRect();
  const left = shareAt(axis, min) * width;
  veil.style.width = `${shareAt(axis, max) * width - left}px`;
  veil.style.transform = `translateX(${left}px)`;
  veil.textContent = t("{from} to {to}", { from: formatDuration(min), to: formatDuration(max) });
}
