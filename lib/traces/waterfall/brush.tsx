import type { ComponentChildren } from "preact";
import { useRef, useState } from "preact/hooks";
import { percentOf } from "./placement.ts";
import type { Interval } from "../waterfall_data.ts";

/** Less than that is a click that trembled. */
const LEAST_DRAG_PX = 4;

export interface BrushProps {
  /** All that can be shown. */
  readonly whole: Interval;
  /** What is shown. */
  readonly view: Interval;
  readonly onZoom: (view: Interval) => void;
  /** What lies under it. */
  readonly children: ComponentChildren;
}

/** Dragging over the minimap chooses the shown time; a double click shows all of it. Keys and buttons can as well. */
export function Brush({ whole, view, onZoom, children }: BrushProps) {
  const box = useRef<HTMLDivElement>(null);
  const from = useRef<number | null>(null);
  const [dragged, setDragged] = useState<Interval | null>(null);

  const timeAt = (clientX: number): number => {
    const { left = 0, width = 1 } = box.current?.getBoundingClientRect() ?? {};
    const share = Math.min(Math.max((clientX - left) / Math.max(width, 1), 0), 1);
    return whole.start + share * (whole.end - whole.start);
  };
  const stretchTo = (clientX: number): Interval | null => {
    if (from.current === null || Math.abs(clientX - from.current) < LEAST_DRAG_PX) return null;
    const [start, end] = [timeAt(from.current), timeAt(clientX)].sort((a, b) => a - b);
    return { start: start ?? whole.start, end: end ?? whole.end };
  };
  const onDown = (event: PointerEvent) => {
    if (event.button !== 0) return;
    from.current = event.clientX;
    box.current?.setPointerCapture(event.pointerId);
  };
  const onUp = (event: PointerEvent) => {
    const chosen = stretchTo(event.clientX);
    from.current = null;
    setDragged(null);
    if (chosen) onZoom(chosen);
  };
  const onCancel = () => {
    from.current = null;
    setDragged(null);
  };

  const shown = dragged ?? view;
  const start = percentOf(shown.start, whole);
  const end = percentOf(shown.end, whole);
  const isZoomed = start > 0 || end < 100;
  return (
    <div
      ref={box}
      class="trace-minimap trace-brush"
      title="Drag to zoom, double click to show everything"
      onPointerDown={onDown}
      onPointerMove={({ clientX }) => from.current !== null && setDragged(stretchTo(clientX))}
      onPointerUp={onUp}
      onPointerCancel={onCancel}
      onDblClick={() => onZoom(whole)}
    >
      {children}
      {isZoomed && (
        <svg class="trace-window" aria-hidden="true">
          <rect x="0" width={`${start}%`} height="100%" />
          <rect x={`${end}%`} width={`${100 - end}%`} height="100%" />
          <line x1={`${start}%`} x2={`${start}%`} y1="0" y2="100%" />
          <line x1={`${end}%`} x2={`${end}%`} y1="0" y2="100%" />
        </svg>
      )}
    </div>
  );
}
