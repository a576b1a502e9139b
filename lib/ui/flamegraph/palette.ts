import { COLOUR_CLASSES } from "./colours.ts";

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
