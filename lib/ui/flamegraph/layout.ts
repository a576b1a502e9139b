import { childrenOf, type FlameTree, isWithin } from "./flame_tree.ts";

/** Where each node stands: the root on top, one row per level, widths in the unit of the values. */
export interface FlameLayout {
  readonly tree: FlameTree;
  readonly lefts: Float64Array;
  readonly widths: Float64Array;
  /** Width of everything. */
  readonly extent: number;
  /** The nodes of level `i` stand in `levelNodes` at `levelStarts[i]` to `levelStarts[i + 1]`, left to right. */
  readonly levelStarts: Uint32Array;
  readonly levelNodes: Uint32Array;
}

/**
 * Places all nodes of a tree. Widths are totals; in a comparison those of both sides together, so that what is gone is
 * still to be seen. Values below zero (the heap shrank) count by their size, and a box is never narrower than what is
 * in it.
 */
export function layoutOf(tree: FlameTree): FlameLayout {
  const widths = tree.starts === null ? widthsOf(tree) : tree.totals;
  const lefts = tree.starts === null ? leftsOf(tree, widths) : sinceFirst(tree.starts);
  let extent = 0;
  for (const [node, left] of lefts.entries()) extent = Math.max(extent, left + (widths[node] ?? 0));
  return { tree, lefts, widths, extent, ...levelsOf(tree) };
}

/** How many nodes a level has; 0 beyond the last. */
export function levelSize({ tree, levelStarts }: FlameLayout, level: number): number {
  if (level < 0 || level >= tree.levels) return 0;
  return (levelStarts[level + 1] ?? 0) - (levelStarts[level] ?? 0);
}

/** The `index`-th node of a level from the left. */
function nodeOfLevel(
  { levelStarts, levelNodes }: FlameLayout,
  level: number,
  index: number,
) {
  return levelNodes[(levelStarts[level] ?? 0) + index] ?? 0;
}

/** Index in its level of the first node that ends right of `x`; the level's size when there is none. */
function firstEndingAfter(layout: FlameLayout, level: number, x: number): number {
  const { lefts, widths } = layout;
  let low = 0;
  let high = levelSize(layout, level);
  while (low < high) {
    const middle = (low + high) >>> 1;
    const node = nodeOfLevel(layout, level, middle);
    if ((lefts[node] ?? 0) + (widths[node] ?? 0) > x) high = middle;
    else low = middle + 1;
  }
  return low;
}

/**
 * The node at a place.
 *
 * @param x in the unit of the values
 * @param tolerance how far beside a box a place still belongs to it, in the same unit
 * @returns null where there is none
 */
export function nodeAtPlace(
  layout: FlameLayout,
  level: number,
  x: number,
  tolerance = 0,
): number | null {
  const index = firstEndingAfter(layout, level, x - tolerance);
  if (index >= levelSize(layout, level)) return null;
  const node = nodeOfLevel(layout, level, index);
  return (layout.lefts[node] ?? 0) <= x + tolerance ? node : null;
}

/** Index of a node within its level. */
function indexInLevel(layout: FlameLayout, node: number): number {
  const level = layout.tree.depths[node] ?? 0;
  let low = 0;
  let high = levelSize(layout, level) - 1;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (nodeOfLevel(layout, level, middle) < node) low = middle + 1;
    else high = middle;
  }
  return low;
}

function widthsOf({ size, parents, selfs, totals, base }: FlameTree): Float64Array {
  const widths = new Float64Array(size);
  /** Of each node what it spent itself and its children's widths. */
  const inside = new Float64Array(size);
  for (let node = size - 1; node >= 0; node--) {
    const self = Math.abs(selfs[node] ?? 0) + Math.abs(base?.selfs[node] ?? 0);
    const total = Math.abs(totals[node] ?? 0) + Math.abs(base?.totals[node] ?? 0);
    const width = Math.max(total, self + (inside[node] ?? 0));
    widths[node] = width;
    const parent = parents[node] ?? -1;
    if (parent >= 0) inside[parent] = (inside[parent] ?? 0) + width;
  }
  return widths;
}

function leftsOf({ size, parents }: FlameTree, widths: Float64Array): Float64Array {
  const lefts = new Float64Array(size);
  /** Where the next child of a node begins. */
  const next = new Float64Array(size);
  for (let node = 1; node < size; node++) {
    const parent = parents[node] ?? 0;
    const left = next[parent] ?? 0;
    lefts[node] = left;
    next[node] = left;
    next[parent] = left + (widths[node] ?? 0);
  }
  return lefts;
}

function sinceFirst(starts: Float64Array): Float64Array {
  let first = Infinity;
  for (const start of starts) first = Math.min(first, start);
  return starts.map((start) => start - first);
}

function levelsOf({ depths, levels, size }: FlameTree) {
  const levelStarts = new Uint32Array(levels + 1);
  for (const depth of depths) levelStarts[depth + 1] = (levelStarts[depth + 1] ?? 0) + 1;
  for (let level = 0; level < levels; level++) {
    levelStarts[level + 1] = (levelStarts[level + 1] ?? 0) + (levelStarts[level] ?? 0);
  }
  const next = levelStarts.slice();
  const levelNodes = new Uint32Array(size);
  for (const [node, depth] of depths.entries()) {
    const place = next[depth] ?? 0;
    levelNodes[place] = node;
    next[depth] = place + 1;
  }
  return { levelStarts, levelNodes };
}

/** The stretch of the graph that fills its width, in the unit of the values. */
export interface View {
  readonly start: number;
  readonly end: number;
}

/** Nobody can tell anything from less than this share of everything. */
const MIN_SHARE = 1e-9;

/** Everything. */
export function wholeView({ extent }: FlameLayout): View {
  return { start: 0, end: extent > 0 ? extent : 1 };
}

/** A node from edge to edge; everything, when it has no width. */
export function viewOf(layout: FlameLayout, node: number): View {
  const width = layout.widths[node] ?? 0;
  if (node === 0 || width <= 0) return wholeView(layout);
  const start = layout.lefts[node] ?? 0;
  return { start, end: start + width };
}

/**
 * Zooms around a place that stays where it is.
 *
 * @param factor below 1: closer
 * @param share where the place is, from the left edge (0) to the right one (1)
 */
export function zoomedAt(layout: FlameLayout, view: View, factor: number, share: number): View {
  const whole = wholeView(layout);
  const width = view.end - view.start;
  const least = whole.end * MIN_SHARE;
  const wanted = Math.min(whole.end, Math.max(least, width * factor));
  const place = view.start + width * share;
  return kept(whole, place - wanted * share, wanted);
}

/** Moves by a share of the width; no further than the edges. */
export function pannedBy(layout: FlameLayout, view: View, share: number): View {
  const width = view.end - view.start;
  return kept(wholeView(layout), view.start + width * share, width);
}

/** A view between two: 0 is the first, 1 the second. */
export function between(from: View, to: View, share: number): View {
  return {
    start: from.start + (to.start - from.start) * share,
    end: from.end + (to.end - from.end) * share,
  };
}

function kept(whole: View, start: number, width: number): View {
  const first = Math.min(Math.max(whole.start, start), whole.end - width);
  return { start: first, end: first + width };
}

/** Narrower boxes are joined with their neighbours. */
const MIN_BOX_PX = 1;
/** What is narrower still cannot be seen. */
const MIN_SEEN_PX = 0.5;

/** A box to draw, from `x` on, `width` wide, in pixels; of joined ones the node is the widest. */
type Draw = (node: number, x: number, width: number, isRun: boolean) => void;

/**
 * Tells which boxes of a level are to be drawn in a view. Runs of boxes narrower than a pixel are one box; what is
 * narrower than half a pixel altogether is left out. Boxes are cut at the edges.
 */
export function drawLevel(
  layout: FlameLayout,
  level: number,
  view: View,
  widthPx: number,
  draw: Draw,
): void {
  const { lefts, widths } = layout;
  const scale = widthPx / (view.end - view.start);
  const count = levelSize(layout, level);
  let runStart = 0;
  let runEnd = -1;
  let runNode = -1;
  let widest = 0;
  const closeRun = () => {
    if (runNode >= 0 && runEnd - runStart >= MIN_SEEN_PX) {
      draw(runNode, runStart, runEnd - runStart, true);
    }
    runNode = -1;
  };
  for (let index = firstEndingAfter(layout, level, view.start); index < count; index++) {
    const node = nodeOfLevel(layout, level, index);
    const from = ((lefts[node] ?? 0) - view.start) * scale;
    if (from >= widthPx) break;
    const width = (widths[node] ?? 0) * scale;
    if (width >= MIN_BOX_PX) {
      closeRun();
      const x = Math.max(0, from);
      draw(node, x, Math.min(widthPx, from + width) - x, false);
      continue;
    }
    if (runNode >= 0 && from - runEnd >= MIN_SEEN_PX) closeRun();
    if (runNode < 0) {
      runStart = Math.max(0, from);
      widest = -1;
    }
    if (width > widest) {
      widest = width;
      runNode = node;
    }
    runEnd = from + width;
  }
  closeRun();
}

export type Direction = "up" | "down" | "left" | "right";

/**
 * The box beside another: its caller, the widest that it calls, or its neighbour on the same row.
 *
 * @param top the box that is zoomed to; what is not below it is out of reach, save its callers
 * @returns the same box where there is no other
 */
export function boxBeside(
  layout: FlameLayout,
  node: number,
  direction: Direction,
  top: number,
): number {
  const { tree } = layout;
  switch (direction) {
    case "up":
      return Math.max(0, tree.parents[node] ?? 0);
    case "down":
      // Above what is zoomed to there is one way only.
      return node !== top && isWithin(tree, top, node)
        ? towards(tree, node, top)
        : widestChild(layout, node);
    case "left":
      return neighbour(layout, node, -1, top);
    case "right":
      return neighbour(layout, node, 1, top);
  }
}

function widestChild({ tree, widths }: FlameLayout, node: number): number {
  let widest = node;
  let width = 0;
  for (const child of childrenOf(tree, node)) {
    if ((widths[child] ?? 0) > width) {
      widest = child;
      width = widths[child] ?? 0;
    }
  }
  return widest;
}

function towards(tree: FlameTree, node: number, top: number): number {
  for (const child of childrenOf(tree, node)) if (isWithin(tree, top, child)) return child;
  return node;
}

function neighbour(layout: FlameLayout, node: number, step: 1 | -1, top: number): number {
  const { tree, widths } = layout;
  const level = tree.depths[node] ?? 0;
  const size = levelSize(layout, level);
  for (let index = indexInLevel(layout, node) + step; index >= 0 && index < size; index += step) {
    const beside = nodeOfLevel(layout, level, index);
    if (!isWithin(tree, beside, top)) return node;
    // What has no width cannot be seen.
    if ((widths[beside] ?? 0) > 0) return beside;
  }
  return node;
}
