/** Where panels stand. Nothing overlaps, and nothing floats: each panel rests on those above it. */
import { COLUMNS, LIMITS, type Place } from "./content.ts";

/** What is placed: panels, or their outlines in the browser. */
export interface Placed {
  readonly id: string;
  readonly place: Place;
}

export const MOVES = ["left", "right", "up", "down"] as const;
export type Move = (typeof MOVES)[number];

export const RESIZES = ["wider", "narrower", "taller", "lower"] as const;
export type Resize = (typeof RESIZES)[number];

/**
 * Puts panels in order: brought into the grid, from the top to the bottom and from the left to the right, each moved
 * up or down to where it rests on those before it.
 */
export function settle<P extends Placed>(panels: readonly P[]): P[] {
  const settled: P[] = [];
  for (const panel of panels.map(inGrid).toSorted(byPlace)) {
    const y = Math.max(
      0,
      ...settled.filter(({ place }) => sharesColumns(place, panel.place)).map(bottomOf),
    );
    settled.push(at(panel, { y }));
  }
  return settled.toSorted(byPlace);
}

/** Moves a panel past its neighbour, or to the edge where it has none. */
export function movePanel<P extends Placed>(panels: readonly P[], id: string, move: Move): P[] {
  const panel = panels.find((each) => each.id === id);
  if (panel === undefined) return [...panels];
  const isSideways = move === "left" || move === "right";
  return settle(isSideways ? sideways(panels, panel, move) : upOrDown(panels, panel, move));
}

/** Changes a panel's size by one column or row. */
export function resizePanel<P extends Placed>(panels: readonly P[], id: string, by: Resize): P[] {
  const panel = panels.find((each) => each.id === id);
  if (panel === undefined) return [...panels];
  const { w, h } = panel.place;
  const size = {
    wider: { w: w + 1 },
    narrower: { w: w - 1 },
    taller: { h: h + 1 },
    lower: { h: h - 1 },
  }[by];
  return placePanel(panels, id, { ...panel.place, ...size });
}

/** Puts a panel at a place; what stands there moves down. */
export function placePanel<P extends Placed>(panels: readonly P[], id: string, place: Place): P[] {
  return settle(panels.map((each) =>
    // Half a row above: it goes before what stands there already.
    each.id === id ? { ...each, place: { ...place, y: place.y - 0.5 } } : each
  ));
}

/** A place of a size below everything, or beside the last panel where that leaves room. */
export function freePlace(panels: readonly Placed[], { w, h }: Pick<Place, "w" | "h">): Place {
  const bottom = Math.max(0, ...panels.map(bottomOf));
  const last = panels.toSorted(byPlace).at(-1)?.place;
  if (last !== undefined) {
    const x = last.x + last.w;
    const beside = { x, y: last.y, w, h };
    const isFree = panels.every(({ place }) => !overlap(place, beside));
    if (x + w <= COLUMNS && isFree) return beside;
  }
  return { x: 0, y: bottom, w, h };
}

function sideways<P extends Placed>(panels: readonly P[], panel: P, move: "left" | "right"): P[] {
  const { x, w } = panel.place;
  const isLeft = move === "left";
  const beside = panels.filter((each) =>
    each.id !== panel.id && sharesRows(each.place, panel.place) &&
    (isLeft ? rightOf(each) <= x : each.place.x >= x + w)
  );
  const neighbour =
    beside.toSorted((a, b) => isLeft ? rightOf(b) - rightOf(a) : a.place.x - b.place.x)[0];
  if (neighbour === undefined) return moved(panels, panel, isLeft ? 0 : COLUMNS - w);
  const edge = isLeft ? rightOf(neighbour) : neighbour.place.x - w;
  if (edge !== x) return moved(panels, panel, edge);
  const [first, second] = isLeft ? [panel, neighbour] : [neighbour, panel];
  const start = Math.min(x, neighbour.place.x);
  return moved(moved(panels, first, start), second, start + first.place.w);
}

function upOrDown<P extends Placed>(panels: readonly P[], panel: P, move: "up" | "down"): P[] {
  const isUp = move === "up";
  const inLine = panels.filter((each) =>
    each.id !== panel.id && sharesColumns(each.place, panel.place) &&
    (isUp ? each.place.y < panel.place.y : each.place.y > panel.place.y)
  );
  const neighbour =
    inLine.toSorted((a, b) => isUp ? b.place.y - a.place.y : a.place.y - b.place.y)[0];
  if (neighbour === undefined) return [...panels];
  const y = neighbour.place.y + (isUp ? -0.5 : 0.5);
  return panels.map((each) => each.id === panel.id ? at(each, { y }) : each);
}

function moved<P extends Placed>(panels: readonly P[], { id }: Placed, x: number): P[] {
  return panels.map((each) => each.id === id ? at(each, { x }) : each);
}

function at<P extends Placed>(panel: P, place: Partial<Place>): P {
  return { ...panel, place: { ...panel.place, ...place } };
}

/** Not rounded downwards in `y`: half rows say what goes first. */
function inGrid<P extends Placed>(panel: P): P {
  const w = within(Math.round(panel.place.w), 1, COLUMNS);
  const h = within(Math.round(panel.place.h), 1, LIMITS.height);
  return at(panel, { x: within(Math.round(panel.place.x), 0, COLUMNS - w), w, h });
}

function within(value: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, value));
}

function byPlace(a: Placed, b: Placed): number {
  return a.place.y - b.place.y || a.place.x - b.place.x;
}

function bottomOf({ place }: Placed): number {
  return place.y + place.h;
}

function rightOf({ place }: Placed): number {
  return place.x + place.w;
}

function sharesColumns(a: Place, b: Place): boolean {
  return a.x < b.x + b.w && b.x < a.x + a.w;
}

function sharesRows(a: Place, b: Place): boolean {
  return a.y < b.y + b.h && b.y < a.y + a.h;
}

function overlap(a: Place, b: Place): boolean {
  return sharesColumns(a, b) && sharesRows(a, b);
}
