import type { TreeNode } from "./span_tree.ts";

interface Step {
  readonly node: TreeNode;
  /** Earlier than this nothing of the node matters. */
  readonly floor: number;
  /** Children by where they end within the node, the last one first. */
  readonly children: readonly { readonly child: TreeNode; readonly end: number }[];
  next: number;
  /** What lies after it is accounted for. */
  cursor: number;
}

/**
 * Marks what a trace's duration depends on: from the root's end backwards the child that ended last, then
 * the one that had ended before that one began, and so on, into each of them. What nobody waited for, as it
 * ended after its parent, counts up to the parent's end.
 */
export function markCriticalPath(root: TreeNode): void {
  const stack = [stepInto(root, root.start, root.end)];
  for (let step = stack.at(-1); step; step = stack.at(-1)) {
    const found = lastBefore(step);
    if (!found) {
      mark(step, step.floor, step.cursor);
      stack.pop();
      continue;
    }
    mark(step, found.end, step.cursor);
    step.cursor = Math.max(found.child.start, step.floor);
    stack.push(stepInto(found.child, step.cursor, found.end));
  }
}

function stepInto(node: TreeNode, floor: number, limit: number): Step {
  const children = node.children
    .filter((child) => child.start < limit && child.end > floor)
    .map((child) => ({ child, end: Math.min(child.end, limit) }))
    .sort((a, b) => b.end - a.end || a.child.start - b.child.start);
  return { node, floor, children, next: 0, cursor: limit };
}

function lastBefore(step: Step): Step["children"][number] | null {
  while (step.cursor > step.floor) {
    const found = step.children[step.next++];
    if (!found) return null;
    if (found.end <= step.cursor) return found;
  }
  return null;
}

function mark({ node }: Step, start: number, end: number): void {
  if (end > start) node.critical.push({ start, end });
}
