import { isWithin } from "./flame_tree.ts";
import { drawLevel } from "./runs.ts";
import type { Palette } from "./palette.ts";
import { axisHeight, type Picture, ROW_PX } from "./picture.ts";
import { drawAxis } from "./draw_axis.ts";

/** Boxes from this width on have a gap at their right, so that neighbours can be told apart. */
const MIN_GAPPED_PX = 3;
/** Narrower boxes have no text. */
const MIN_TEXT_PX = 22;
const TEXT_PX = 12;
const PADDING_PX = 4;

/** The part of the graph that is in sight, in pixels of the page. */
export interface Frame {
  readonly width: number;
  readonly height: number;
  readonly scrollTop: number;
  /** Device pixels per pixel of the page. */
  readonly ratio: number;
}

interface Text {
  readonly text: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
}

/** Draws what is in sight, and nothing else. */
export function draw(
  context: CanvasRenderingContext2D,
  picture: Picture,
  palette: Palette,
  { width, height, scrollTop, ratio }: Frame,
): void {
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.fillStyle = palette.surface;
  context.fillRect(0, 0, width, height);
  const top = axisHeight(picture.layout) - scrollTop;
  const first = Math.max(0, Math.floor(-top / ROW_PX));
  const last = Math.min(picture.layout.tree.levels - 1, Math.floor((height - top) / ROW_PX));
  const texts: Text[] = [];
  // Changing the colour is what is slow about drawing rectangles: boxes of one colour go together, row by row.
  const boxes = new BoxBatch(context, ratio);
  context.font = `${TEXT_PX}px ${palette.font}`;
  const letter = context.measureText("m").width;
  for (let level = first; level <= last; level++) {
    const y = top + level * ROW_PX;
    drawLevel(picture.layout, level, picture.view, width, (node, x, boxWidth, isRun) => {
      boxes.add(fillOf(picture, palette, node), x, y, boxWidth);
      if (isRun || boxWidth < MIN_TEXT_PX) return;
      const room = Math.floor((boxWidth - 2 * PADDING_PX) / letter);
      const text = picture.labelOf(node, room);
      if (text !== "") texts.push({ text, x, y, width: boxWidth });
    });
    boxes.flush();
  }
  drawTexts(context, palette, texts);
  if (picture.hovered !== null) {
    outline(context, picture, palette.text, picture.hovered, top, width, 1);
  }
  if (picture.hasFocus) outline(context, picture, palette.ring, picture.focused, top, width, 2);
  if (picture.layout.tree.starts !== null) drawAxis(context, picture, palette, width);
}

/** Colour of a box. Matches of a search stand out; without being one, and above what is zoomed to, boxes step back. */
function fillOf(picture: Picture, palette: Palette, node: number): string {
  const { layout: { tree }, found, zoomed, colours } = picture;
  const colour = colours[node] ?? 0;
  if (found !== null && node > 0) {
    if (found.frames[tree.nodeFrames[node] ?? 0] === 1) return palette.match;
    return palette.faded[colour] ?? "";
  }
  const isAbove = node !== zoomed && isWithin(tree, zoomed, node);
  return (isAbove ? palette.faded[colour] : palette.fills[colour]) ?? "";
}

function drawTexts(context: CanvasRenderingContext2D, palette: Palette, texts: readonly Text[]) {
  context.fillStyle = palette.text;
  context.textBaseline = "middle";
  for (const { text, x, y, width } of texts) {
    // Letters of other scripts are wider than those the room was counted in.
    const mayStickOut = /[^\x20-\u024f]/.test(text.slice(0, -1));
    if (mayStickOut) {
      context.save();
      context.beginPath();
      context.rect(x, y, width - PADDING_PX, ROW_PX);
      context.clip();
    }
    context.fillText(text, x + PADDING_PX, y + ROW_PX / 2);
    if (mayStickOut) context.restore();
  }
}

function outline(
  context: CanvasRenderingContext2D,
  { layout, view }: Picture,
  colour: string,
  node: number,
  top: number,
  width: number,
  thickness: number,
): void {
  const scale = width / (view.end - view.start);
  const left = ((layout.lefts[node] ?? 0) - view.start) * scale;
  const from = Math.max(0, left);
  const until = Math.min(width, left + (layout.widths[node] ?? 0) * scale);
  if (until < from) return;
  const y = top + (layout.tree.depths[node] ?? 0) * ROW_PX;
  const inset = thickness / 2;
  context.strokeStyle = colour;
  context.lineWidth = thickness;
  context.strokeRect(
    from + inset,
    y + inset,
    Math.max(thickness, until - from - 2 * inset),
    ROW_PX - 1 - 2 * inset,
  );
}

/** Rectangles by their colour, on whole device pixels, which need no smoothing. */
class BoxBatch {
  readonly #context: CanvasRenderingContext2D;
  readonly #ratio: number;
  readonly #boxes = new Map<string, number[]>();

  constructor(context: CanvasRenderingContext2D, ratio: number) {
    this.#context = context;
    this.#ratio = ratio;
  }

  add(fill: string, x: number, y: number, width: number): void {
    const from = this.#snapped(x);
    const until = Math.max(from + 1 / this.#ratio, this.#snapped(x + width));
    const gap = until - from >= MIN_GAPPED_PX ? 1 : 0;
    const boxes = this.#boxes.get(fill);
    if (boxes) boxes.push(from, y, until - from - gap);
    else this.#boxes.set(fill, [from, y, until - from - gap]);
  }

  flush(): void {
    for (const [fill, boxes] of this.#boxes) {
      if (boxes.length === 0) continue;
      this.#context.fillStyle = fill;
      for (let index = 0; index < boxes.length; index += 3) {
        const x = boxes[index] ?? 0;
        this.#context.fillRect(x, boxes[index + 1] ?? 0, boxes[index + 2] ?? 0, ROW_PX - 1);
      }
      boxes.length = 0;
    }
  }

  #snapped(x: number): number {
    return Math.round(x * this.#ratio) / this.#ratio;
  }
}
