import type { FlameStage, StageElements } from "./stage.ts";

/** A press that moved further is a drag. */
const DRAG_PX = 4;
/** Zoom of one notch of a wheel, which is about 100 pixels. */
const WHEEL_ZOOM = 1.0025;

/** What the pointer does that is more than moving the view. */
export interface PointerActions {
  readonly onHover: (node: number | null, at: PointerEvent) => void;
  readonly onPress: (node: number | null, at: PointerEvent) => void;
  readonly onReset: () => void;
  readonly onMenu: (node: number, at: MouseEvent) => void;
  /** The view was moved by hand. */
  readonly onMove: () => void;
}

interface Drag {
  readonly pointer: number;
  x: number;
  y: number;
  moved: number;
}

/**
 * Makes a stage follow the pointer: Ctrl and wheel zoom, a drag or a sideways wheel moves.
 *
 * @returns what ends it
 */
export function followPointer(
  { box, canvas }: StageElements,
  stage: FlameStage,
  actions: () => PointerActions,
): () => void {
  const listeners = new AbortController();
  const { signal } = listeners;
  let drag: Drag | null = null;

  const onDown = (event: PointerEvent) => {
    if (event.button !== 0 || !event.isPrimary) return;
    drag = { pointer: event.pointerId, x: event.clientX, y: event.clientY, moved: 0 };
  };
  const onMove = (event: PointerEvent) => {
    if (drag === null || drag.pointer !== event.pointerId) {
      if (event.pointerType !== "touch") actions().onHover(nodeAt(stage, event), event);
      return;
    }
    const across = drag.x - event.clientX;
    drag.moved += Math.abs(across) + Math.abs(drag.y - event.clientY);
    if (drag.moved > DRAG_PX) {
      if (!canvas.hasPointerCapture(event.pointerId)) canvas.setPointerCapture(event.pointerId);
      actions().onHover(null, event);
      stage.panBy(across);
      // Fingers scroll the box by themselves.
      if (event.pointerType !== "touch") box.scrollTop += drag.y - event.clientY;
      actions().onMove();
    }
    drag.x = event.clientX;
    drag.y = event.clientY;
  };
  const onUp = (event: PointerEvent) => {
    const isPress = drag !== null && drag.pointer === event.pointerId && drag.moved <= DRAG_PX;
    drag = null;
    if (isPress) actions().onPress(nodeAt(stage, event), event);
  };
  const onWheel = (event: WheelEvent) => {
    const isZoom = event.ctrlKey || event.metaKey;
    const across = event.shiftKey && event.deltaX === 0 ? event.deltaY : event.deltaX;
    if (!isZoom && Math.abs(across) <= Math.abs(event.shiftKey ? 0 : event.deltaY)) return;
    event.preventDefault();
    if (isZoom) stage.zoomAt(WHEEL_ZOOM ** event.deltaY, event.clientX);
    else stage.panBy(across);
    actions().onMove();
  };
  const onContextMenu = (event: MouseEvent) => {
    const node = nodeAt(stage, event);
    if (node === null) return;
    event.preventDefault();
    actions().onMenu(node, event);
  };
  canvas.addEventListener("pointerdown", onDown, { signal });
  canvas.addEventListener("pointermove", onMove, { signal });
  canvas.addEventListener("pointerup", onUp, { signal });
  canvas.addEventListener("pointercancel", () => drag = null, { signal });
  canvas.addEventListener("pointerleave", (event) => {
    if (drag === null && event.pointerType !== "touch") actions().onHover(null, event);
  }, { signal });
  canvas.addEventListener("dblclick", () => actions().onReset(), { signal });
  canvas.addEventListener("contextmenu", onContextMenu, { signal });
  // Not passive: what zooms must not scroll the page.
  box.addEventListener("wheel", onWheel, { signal, passive: false });
  return () => listeners.abort();
}

function nodeAt(stage: FlameStage, { clientX, clientY }: MouseEvent): number | null {
  return stage.nodeAt(clientX, clientY);
}
