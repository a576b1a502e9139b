import type { ChartProps } from "../chart_data.ts";

/** Px that a drag has to go before it is one. */
const DRAG_PX = 6;

interface DragEvents {
  /** The pointer is somewhere else now. */
  moved(fromX: number, toX: number): void;
  ended(): void;
  cancelled(): void;
}

/**
 * Listens for drags with a mouse or a pen; a finger scrolls the page. Coordinates are the window's.
 *
 * @param signal ends it
 */
export function onDrag(element: Element, events: DragEvents, signal: AbortSignal): void {
  let from: number | null = null;
  let isDragging = false;
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
    if (isDragging) events.moved(from, clientX);
  });
  listen("pointerup", () => {
    const wasDragging = isDragging;
    stop();
    if (wasDragging) events.ended();
  });
  const cancel = () => {
    stop();
    events.cancelled();
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
