import {
  axisHeight,
  draw,
  fullHeight,
  type Palette,
  type Picture,
  readPalette,
  ROW_PX,
} from "./draw.ts";
import { between, nodeAtPlace, pannedBy, type View, zoomedAt } from "./layout.ts";

/** How long going to another view takes; nothing for those who asked for no motion. */
const GOING_MS = 120;
/** Boxes may be missed by so much. */
const TOLERANCE_PX = 1.5;
/** A box that the keyboard goes to is made at least so wide. */
const MIN_REVEALED_PX = 4;
const REVEALED_PX = 40;

/** Browsers refuse higher canvases. */
const MAX_PICTURE_PX = 16_000;

/** The elements that a graph is drawn in: the canvas sticks to the top of the box that scrolls. */
export interface StageElements {
  readonly box: HTMLElement;
  readonly canvas: HTMLCanvasElement;
  /** Below the canvas, so that the box can scroll. */
  readonly spacer: HTMLElement;
}

/** Draws a picture, once per frame at most, and moves the view over it. */
export class FlameStage {
  readonly #elements: StageElements;
  readonly #context: CanvasRenderingContext2D | null;
  readonly #listeners = new AbortController();
  readonly #resizes: ResizeObserver;
  #palette: Palette;
  #picture: Picture | null = null;
  #view: View = { start: 0, end: 1 };
  #request = 0;
  #going: { readonly from: View; readonly to: View; readonly since: number } | null = null;

  constructor(elements: StageElements) {
    this.#elements = elements;
    this.#context = elements.canvas.getContext("2d", { alpha: false });
    this.#palette = readPalette(elements.box);
    const { signal } = this.#listeners;
    elements.box.addEventListener("scroll", () => this.redraw(), { signal, passive: true });
    watchTheme(() => {
      this.#palette = readPalette(elements.box);
      this.redraw();
    }, signal);
    this.#resizes = new ResizeObserver(() => this.#resize());
    this.#resizes.observe(elements.box);
  }

  /** Gives all back. */
  close(): void {
    this.#listeners.abort();
    this.#resizes.disconnect();
    cancelAnimationFrame(this.#request);
  }

  get view(): View {
    return this.#view;
  }

  /** Shows another picture with the view as it is. */
  show(picture: Omit<Picture, "view">): void {
    const isOther = picture.layout !== this.#picture?.layout;
    this.#picture = { ...picture, view: this.#view };
    if (isOther) this.#resize();
    this.redraw();
  }

  /** Goes to a view, smoothly unless it is for the first time or motion is unwanted. */
  goTo(view: View, isAtOnce = false): void {
    if (isAtOnce || matchMedia("(prefers-reduced-motion: reduce)").matches) {
      this.#going = null;
      this.#view = view;
    } else this.#going = { from: this.#view, to: view, since: performance.now() };
    this.redraw();
  }

  /** Zooms around a place of the window. @param factor below 1: closer */
  zoomAt(factor: number, clientX: number): void {
    if (this.#picture === null) return;
    const { left, width } = this.#elements.canvas.getBoundingClientRect();
    const share = Math.min(1, Math.max(0, (clientX - left) / Math.max(1, width)));
    this.goTo(zoomedAt(this.#picture.layout, this.#view, factor, share), true);
  }

  /** Zooms around a node. @param factor below 1: closer */
  zoomAround(node: number, factor: number): void {
    if (this.#picture === null) return;
    const { layout } = this.#picture;
    const middle = (layout.lefts[node] ?? 0) + (layout.widths[node] ?? 0) / 2;
    const share = (middle - this.#view.start) / (this.#view.end - this.#view.start);
    this.goTo(zoomedAt(layout, this.#view, factor, Math.min(1, Math.max(0, share))));
  }

  /** Moves the view to the right by so many pixels. */
  panBy(pixels: number): void {
    if (this.#picture === null) return;
    const share = pixels / Math.max(1, this.#elements.canvas.clientWidth);
    this.goTo(pannedBy(this.#picture.layout, this.#view, share), true);
  }

  /** The node at a place of the window, or null. */
  nodeAt(clientX: number, clientY: number): number | null {
    if (this.#picture === null) return null;
    const { layout } = this.#picture;
    const { left, top, width } = this.#elements.canvas.getBoundingClientRect();
    const y = clientY - top + this.#elements.box.scrollTop - axisHeight(layout);
    if (clientY - top < axisHeight(layout)) return null;
    const scale = (this.#view.end - this.#view.start) / Math.max(1, width);
    const x = this.#view.start + (clientX - left) * scale;
    return nodeAtPlace(layout, Math.floor(y / ROW_PX), x, TOLERANCE_PX * scale);
  }

  /** Where a node stands in the window, cut to what is in sight. */
  placeOf(node: number): DOMRect {
    const { left, top, width } = this.#elements.canvas.getBoundingClientRect();
    if (this.#picture === null) return new DOMRect(left, top, 0, 0);
    const { layout } = this.#picture;
    const scale = width / (this.#view.end - this.#view.start);
    const x = ((layout.lefts[node] ?? 0) - this.#view.start) * scale;
    const from = Math.min(width, Math.max(0, x));
    const until = Math.max(from, Math.min(width, x + (layout.widths[node] ?? 0) * scale));
    const y = axisHeight(layout) + (layout.tree.depths[node] ?? 0) * ROW_PX -
      this.#elements.box.scrollTop;
    return new DOMRect(left + from, top + y, until - from, ROW_PX);
  }

  /** Scrolls and moves the view so that a node is in sight, and wide enough to be seen. */
  reveal(node: number): void {
    if (this.#picture === null) return;
    const { box } = this.#elements;
    const { layout } = this.#picture;
    const y = (layout.tree.depths[node] ?? 0) * ROW_PX;
    const room = box.clientHeight - axisHeight(layout) - ROW_PX;
    if (y < box.scrollTop) box.scrollTop = y;
    else if (y > box.scrollTop + room) box.scrollTop = y - room;
    const target = this.#going?.to ?? this.#view;
    const view = showing(
      layout.lefts[node] ?? 0,
      layout.widths[node] ?? 0,
      target,
      box.clientWidth,
    );
    if (view === target) return;
    // From nothing to nothing: only for the edges to be kept.
    this.goTo(pannedBy(layout, view, 0));
  }

  /** The current view with all its rows as a picture; null when there is nothing, or it is too large. */
  async toPng(): Promise<Blob | null> {
    if (this.#picture === null) return null;
    const canvas = document.createElement("canvas");
    const ratio = globalThis.devicePixelRatio || 1;
    const width = this.#elements.canvas.clientWidth;
    const height = Math.min(fullHeight(this.#picture.layout), MAX_PICTURE_PX / ratio);
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    const context = canvas.getContext("2d", { alpha: false });
    if (context === null) return null;
    const picture = { ...this.#picture, view: this.#view, hovered: null, hasFocus: false };
    draw(context, picture, this.#palette, { width, height, scrollTop: 0, ratio });
    return await new Promise((done) => canvas.toBlob(done, "image/png"));
  }

  /** Draws with the next frame. */
  redraw(): void {
    if (this.#request !== 0) return;
    this.#request = requestAnimationFrame((now) => {
      this.#request = 0;
      this.#step(now);
      this.#draw();
      if (this.#going !== null) this.redraw();
    });
  }

  #step(now: number): void {
    if (this.#going === null) return;
    const share = Math.min(1, Math.max(0, (now - this.#going.since) / GOING_MS));
    this.#view = between(this.#going.from, this.#going.to, share * (2 - share));
    if (share === 1) this.#going = null;
  }

  #draw(): void {
    if (this.#picture === null || this.#context === null) return;
    const { box, canvas } = this.#elements;
    const frame = {
      width: canvas.clientWidth,
      height: canvas.clientHeight,
      scrollTop: box.scrollTop,
      ratio: canvas.width / Math.max(1, canvas.clientWidth),
    };
    draw(this.#context, { ...this.#picture, view: this.#view }, this.#palette, frame);
  }

  #resize(): void {
    if (this.#picture === null) return;
    const { box, canvas, spacer } = this.#elements;
    const full = fullHeight(this.#picture.layout);
    // As high as the box can get: its own height follows from what is in it.
    const limit = Number.parseFloat(getComputedStyle(box).maxHeight) || full;
    const height = Math.min(full, limit);
    canvas.style.height = `${height}px`;
    spacer.style.height = `${full - height}px`;
    const ratio = globalThis.devicePixelRatio || 1;
    const [width, high] = [Math.round(canvas.clientWidth * ratio), Math.round(height * ratio)];
    if (canvas.width !== width || canvas.height !== high) {
      canvas.width = width;
      canvas.height = high;
      this.#draw();
    }
  }
}

function showing(left: number, width: number, view: View, pixels: number): View {
  const length = view.end - view.start;
  const scale = pixels / length;
  if (width * scale < MIN_REVEALED_PX && width > 0) {
    const wanted = width * pixels / REVEALED_PX;
    const start = left + width / 2 - wanted / 2;
    return { start, end: start + wanted };
  }
  if (left + width > view.start && left < view.end) return view;
  const start = left < view.start ? left : left + width - length;
  return { start, end: start + length };
}

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

/** Saves all rows of the current view as a picture. */
export async function savePng(stage: FlameStage, title: string): Promise<void> {
  const blob = await stage.toPng();
  if (blob === null) return;
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = `${title.replace(/[^\p{L}\p{N}.-]+/gu, "-").slice(0, 80) || "flamegraph"}.png`;
  link.click();
  // The download has begun by then.
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** Calls back when the page's theme changes: by the reader's choice, or with the system. */
function watchTheme(onChange: () => void, signal: AbortSignal): void {
  const media = matchMedia("(prefers-color-scheme: dark)");
  media.addEventListener("change", onChange, { signal });
  const choice = new MutationObserver(onChange);
  choice.observe(document.documentElement, { attributeFilter: ["data-theme"] });
  signal.addEventListener("abort", () => choice.disconnect());
}
