import { inPreOrder, type TreeNode } from "./span_tree.ts";
import type { WaterfallSpan } from "../waterfall_data.ts";

/** Differences below it are rounding, not clocks. */
const TOLERANCE_MS = 0.001;
/** A browser counts from before it asked the server, whose answer names the server's span as parent. */
const EARLIER_THAN_PARENT = new Set(["pageload", "navigation"]);

/**
 * Moves spans of another service into their parent where they do not fit, since then the clocks of two
 * machines differ; what is below them in the same service moves with them. For display only.
 *
 * @returns how many spans crossed to another service and had to be moved
 */
export function evenClocks(roots: readonly TreeNode[]): number {
  let moved = 0;
  for (const parent of inPreOrder(roots)) {
    if (parent.kind === "missing") continue;
    for (const child of parent.children) {
      const isSameService = child.span?.service === parent.span?.service;
      const shift = isSameService ? parent.shift : shiftInto(child, parent);
      if (shift === 0) continue;
      if (!isSameService) moved++;
      child.shift = shift;
      child.start += shift;
      child.end += shift;
    }
  }
  return moved;
}

/** Milliseconds to add to a child; half of what is left beside it is taken for the way there. */
function shiftInto(child: TreeNode, parent: TreeNode): number {
  if (!child.span || !parent.span || mayLieOutside(child.span, parent.span)) return 0;
  const room = parent.end - parent.start - (child.end - child.start);
  const isBefore = child.start < parent.start - TOLERANCE_MS;
  const isBeyond = child.end > parent.end + TOLERANCE_MS;
  if (room < 0) return isBefore ? parent.start - child.start : 0;
  return isBefore || isBeyond ? parent.start + room / 2 - child.start : 0;
}

/** Messages are read when they are read; only a call is waited for. */
function mayLieOutside(child: WaterfallSpan, parent: WaterfallSpan): boolean {
  return child.kind === "consumer" || parent.kind === "producer" || child.category === "queue" ||
    parent.category === "queue" || EARLIER_THAN_PARENT.has(child.op);
}
