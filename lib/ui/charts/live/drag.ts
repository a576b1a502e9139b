import type { ChartProps } from "../chart_data.ts";

/** Px that a drag has to go before it is one. */
const DRAG_PX = 6;

/** What a drag chooses; null is nothing. */
interface Choosing<T> {
  /** @param fromX where the drag began, `toX` where the pointer is; coordinates are the window's */
  readonly between: (fromX: number, toX: number) => T | null;
  /** Shows what is chosen so far; null hides it. */
  readonly mark: (chosen: T | null) => void;
  readonly choose: (chosen: T) => void;
}

/**
 * Lets one choose by dragging with a mouse or a pen; a finger scrolls the page.
 *
 * @param signal ends it
 */
export function chooseByDragging<T>(
  element: Element,
  { between, mark, choose }: Choosing<T>,
  signal: AbortSignal,
): void {
  let from: number | null = null;
  let isDragging = false;
  let chosen: T | null = null;
  const show = (next: T | null) => {
    chosen = next;
    mark(next);
  };
  const stop = () => {
    from = null;
    isDragging = false;
  };
  const listen = (name: string, listener: (event: PointerEvent) => void) =>
    document.addEventListener(name, (event) => {
      if (from !== null && event instanceof PointerEvent) listener(event);
    }, { signal });

  element.addEventListener("pointerdown", (event) => {
    if (!(event instanceof PointerEvent)) return;
    if (event.button === 0 && event.pointerType !== "touch") from = event.clientX;
  }, { signal });
  listen("pointermove", ({ clientX }) => {
    if (from === null) return;
    isDragging ||= Math.abs(clientX - from) >= DRAG_PX;
    if (isDragging) show(between(from, clientX));
  });
  listen("pointerup", () => {
    const wasDragging = isDragging;
    stop();
    if (!wasDragging) return;
    if (chosen !== null) choose(chosen);
    show(null);
  });
  const cancel = () => {
    stop();
    show(null);
  };
  listen("pointercancel", cancel);
  document.addEventListener("keydown", ({ key }) => {
    if (key === "Escape" && isDragging) cancel();
  }, { signal });
}

/** A stretch of time in ms, `end` exclusive. */
export interface Stretch {
  readonly start: number;
  readonly end: number;
}

/**
 * The buckets between two instants, whole, because of a part of one the values are not known.
 *
 * @param a ms, before or after `b`
 * @param b ms
 * @returns null where there is no bucket
 */
export function stretchBetween(
  { times, bucketMs }: ChartProps,
  a: number,
  b: number,
): Stretch | null {
  const [low, high] = a < b ? [a, b] : [b, a];
  const chosen = times.filter((time) => time < high && time + bucketMs > low);
  const first = chosen[0];
  const last = chosen.at(-1);
  return first === undefined || last === undefined ? null : { start: first, end: last + bucketMs };
}

/**
 * The page with its time set to a stretch.
 *
 * @param href path and query without `start` and `end`
 */
export function zoomTarget(href: string, { start, end }: Stretch): string {
  const [path = "", query = ""] = href.split("?", 2);
  const params = new URLSearchParams(query);
  params.set("start", isoSeconds(start));
  params.set("end", isoSeconds(end));
  return `${path}?${params}`;
}

function isoSeconds(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+Z$/, "Z");
}
