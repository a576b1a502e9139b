import { childrenOf, type FlameTree, isWithin } from "./flame_tree.ts";
import { type FlameLayout, indexInLevel, levelSize, nodeOfLevel } from "./layout.ts";

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
