import { inPreOrder, type TreeNode } from "./span_tree.ts";

/** Sets each span's own time: its duration without what its children cover of it. Children are by start. */
export function measureSelfTimes(roots: readonly TreeNode[]): void {
  for (const node of inPreOrder(roots)) {
    if (node.kind === "span") node.selfMs = selfTime(node);
  }
}

function selfTime({ start, end, children }: TreeNode): number {
  let own = end - start;
  let reached = start;
  for (const child of children) {
    const from = Math.max(child.start, reached);
    const to = Math.min(child.end, end);
    if (to <= from) continue;
    own -= to - from;
    reached = to;
  }
  // Sums of fractions can end a hair below zero.
  return Math.max(0, own);
}
