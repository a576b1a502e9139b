import type { FlameTree } from "./flame_tree.ts";

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
export function nodeOfLevel(
  { levelStarts, levelNodes }: FlameLayout,
  level: number,
  index: number,
) {
  return levelNodes[(levelStarts[level] ?? 0) + index] ?? 0;
}

/** Index in its level of the first node that ends right of `x`; the level's size when there is none. */
export function firstEndingAfter(layout: FlameLayout, level: number, x: number): number {
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
export function indexInLevel(layout: FlameLayout, node: number): number {
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
