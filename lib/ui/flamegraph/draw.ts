import { COLOUR_CLASSES } from "./colours.ts";
import { isWithin } from "./flame_tree.ts";
import type { Found } from "./functions.ts";
import { drawLevel, type FlameLayout, type View } from "./layout.ts";
import { valueText } from "./words.ts";

/** Boxes from this width on have a gap at their right, so that neighbours can be told apart. */
const MIN_GAPPED_PX = 3;
/** Narrower boxes have no text. */
const MIN_TEXT_PX = 22;
const TEXT_PX = 12;
const PADDING_PX = 4;

/** The part of the graph that is in sight, in pixels of the page. */
interface Frame {
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

const MIN_TICK_PX = 90;

/** Draws the axis of a chart in order of time above its rows. */
function drawAxis(
  context: CanvasRenderingContext2D,
  { layout, view }: Picture,
  palette: Palette,
  width: number,
): void {
  context.fillStyle = palette.surface;
  context.fillRect(0, 0, width, AXIS_PX);
  context.fillStyle = palette.muted;
  context.textBaseline = "middle";
  const length = view.end - view.start;
  const step = tickStep(length, Math.max(1, Math.floor(width / MIN_TICK_PX)));
  for (let at = Math.ceil(view.start / step) * step; at < view.end; at += step) {
    const x = Math.round((at - view.start) / length * width);
    context.fillRect(x, AXIS_PX - 5, 1, 4);
    context.fillText(valueText(layout.tree, Math.round(at)), x + 3, AXIS_PX / 2);
  }
}

/** The smallest of 1, 2, 5, 10 … of which no more than so many fit. */
export function tickStep(length: number, most: number): number {
  const least = length / most;
  const power = 10 ** Math.floor(Math.log10(least));
  const factor = [1, 2, 5, 10].find((factor) => factor * power >= least) ?? 10;
  return factor * power;
}

/** Height of a row; the server's drawing has the same. */
export const ROW_PX = 20;
/** Height of the axis above charts in order of time. */
const AXIS_PX = 20;

/** What is to be drawn. */
export interface Picture {
  readonly layout: FlameLayout;
  /** Places of the nodes' colours in the palette. */
  readonly colours: Uint8Array;
  /** Text of a box that has room for so many characters; `""`: for none that says anything. */
  readonly labelOf: (node: number, room: number) => string;
  readonly found: Found | null;
  /** The node that is zoomed to: its callers step back. */
  readonly zoomed: number;
  /** The node that the keyboard is at, and the one under the pointer. */
  readonly focused: number;
  readonly hovered: number | null;
  /** The focused node has a ring. */
  readonly hasFocus: boolean;
  readonly view: View;
}

/** Pixels above the first row. */
export function axisHeight({ tree }: FlameLayout): number {
  return tree.starts === null ? 0 : AXIS_PX;
}

/** Height of everything. */
export function fullHeight(layout: FlameLayout): number {
  return axisHeight(layout) + layout.tree.levels * ROW_PX;
}

/** The colours that the style sheet gives the graph in the current theme, for drawing on a canvas. */
export interface Palette {
  /** Fills of {@linkcode COLOUR_CLASSES}, and the same for what steps back. */
  readonly fills: readonly string[];
  readonly faded: readonly string[];
  readonly text: string;
  readonly match: string;
  readonly surface: string;
  readonly ring: string;
  readonly muted: string;
  readonly font: string;
}

/** How much of a colour is left of it when it steps back. */
const FADED = 0.35;

/** Asks the style sheet for its colours, by elements that are there for a moment only. */
export function readPalette(host: HTMLElement): Palette {
  const toRgb = colourReader();
  const probe = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  probe.setAttribute("class", "flame-probe");
  const fillOf = (name: string) => {
    const rect = document.createElementNS("http://www.w3.org/2000/svg", "rect");
    rect.setAttribute("class", name);
    probe.append(rect);
    return () => toRgb(getComputedStyle(rect).fill);
  };
  const wanted = COLOUR_CLASSES.map(fillOf);
  const others = ["text", "match", "surface", "ring", "muted"] as const;
  const readers = others.map((name) => fillOf(`flame-fill-${name}`));
  host.append(probe);
  const fills = wanted.map((read) => read());
  const [text, match, surface, ring, muted] = readers.map((read) => read());
  const font = getComputedStyle(probe).fontFamily;
  probe.remove();
  const background = surface ?? BLACK;
  return {
    fills: fills.map(cssOf),
    faded: fills.map((colour) => cssOf(mixed(colour, background, FADED))),
    text: cssOf(text ?? BLACK),
    match: cssOf(match ?? BLACK),
    surface: cssOf(background),
    ring: cssOf(ring ?? BLACK),
    muted: cssOf(muted ?? BLACK),
    font,
  };
}

type Rgb = readonly [red: number, green: number, blue: number];
const BLACK: Rgb = [0, 0, 0];

/** Browsers answer in whatever notation the style sheet is written in; a pixel is always the same. */
function colourReader(): (colour: string) => Rgb {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = 1;
  const context = canvas.getContext("2d", { willReadFrequently: true });
  return (colour) => {
    if (context === null) return BLACK;
    context.fillStyle = colour;
    context.fillRect(0, 0, 1, 1);
    const [red = 0, green = 0, blue = 0] = context.getImageData(0, 0, 1, 1).data;
    return [red, green, blue];
  };
}

function mixed(colour: Rgb, background: Rgb, share: number): Rgb {
  const at = (index: 0 | 1 | 2) =>
    Math.round(colour[index] * share + background[index] * (1 - share));
  return [at(0), at(1), at(2)];
}

function cssOf([red, green, blue]: Rgb): string {
  return `rgb(${red} ${green} ${blue})`;
}
