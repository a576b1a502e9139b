import { firstEndingAfter, type FlameLayout, levelSize, nodeOfLevel } from "./layout.ts";
import type { View } from "./view.ts";

/** Narrower boxes are joined with their neighbours. */
const MIN_BOX_PX = 1;
/** What is narrower still cannot be seen. */
const MIN_SEEN_PX = 0.5;

/** A box to draw, from `x` on, `width` wide, in pixels; of joined ones the node is the widest. */
export type Draw = (node: number, x: number, width: number, isRun: boolean) => void;

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
