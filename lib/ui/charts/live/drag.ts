/** Px that a drag has to go before it is one. */
const DRAG_PX = 6;

export interface DragEvents {
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
