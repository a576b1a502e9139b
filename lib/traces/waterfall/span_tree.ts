import { exactNanos, msBetween } from "../../records/exact_time.ts";
import { linkSpans } from "./link_spans.ts";
import type { Interval, WaterfallSpan } from "../waterfall_data.ts";

/**
 * `span` was sent · `missing` stands for a parent that was not · `group` stands for siblings that are much
 * alike.
 */
export type NodeKind = "span" | "missing" | "group";

/** A node while the tree is made. Times in milliseconds since an origin. */
export interface TreeNode {
  readonly kind: NodeKind;
  /** The span's id; of others unlike any span's. */
  readonly key: string;
  /** Of a group its first span; null for what is missing. */
  readonly span: WaterfallSpan | null;
  children: TreeNode[];
  start: number;
  end: number;
  /** By how much it was moved for display, against clocks that differ. */
  shift: number;
  /** Null until it is known, and where nothing can be known. */
  selfMs: number | null;
  /** Parts of it that lie on the critical path. */
  critical: Interval[];
}

export interface SpanTree {
  /** By start. */
  readonly roots: readonly TreeNode[];
  /** Spans that were their own ancestors. */
  readonly ringsCut: number;
}

/**
 * Hangs spans under their parents, and those whose parent is not there under a node that says so.
 *
 * @param origin in whole milliseconds since 1970: times of nodes count from it, to the nanosecond
 */
export function buildTree(spans: readonly WaterfallSpan[], origin: number): SpanTree {
  const { parents, cut } = linkSpans(spans);
  const originNanos = exactNanos(origin / 1_000);
  const nodes = spans.map((span) => spanNode(span, originNanos));
  const missing = new Map<string, TreeNode>();
  const roots: TreeNode[] = [];
  for (const [index, node] of nodes.entries()) {
    const parent = nodes[parents[index] ?? -1];
    const parentId = node.span?.parentSpanId ?? null;
    if (parent) parent.children.push(node);
    else if (parentId === null || cut.has(index)) roots.push(node);
    else {
      const known = missing.get(parentId);
      if (known) known.children.push(node);
      else {
        const made = missingNode(parentId, node);
        missing.set(parentId, made);
        roots.push(made);
      }
    }
  }
  for (const node of missing.values()) spanOver(node);
  return { roots: roots.sort(byStart), ringsCut: cut.size };
}

/** Parents before their children, in the order they are shown; a list, since nesting can be very deep. */
export function inPreOrder(roots: readonly TreeNode[]): TreeNode[] {
  const found: TreeNode[] = [];
  const waiting = roots.toReversed();
  for (let node = waiting.pop(); node; node = waiting.pop()) {
    found.push(node);
    for (let index = node.children.length - 1; index >= 0; index--) {
      const child = node.children[index];
      if (child) waiting.push(child);
    }
  }
  return found;
}

/** By start; of those that start together the longer one first. */
export function byStart(a: Interval, b: Interval): number {
  return a.start - b.start || b.end - a.end;
}

/** Makes a node reach from the first start to the last end of its children. */
export function spanOver(node: TreeNode): void {
  node.start = Infinity;
  node.end = -Infinity;
  for (const { start, end } of node.children) {
    node.start = Math.min(node.start, start);
    node.end = Math.max(node.end, end);
  }
}

function spanNode(span: WaterfallSpan, origin: bigint): TreeNode {
  const start = msBetween(origin, BigInt(span.startNanos));
  return {
    kind: "span",
    key: span.spanId,
    span,
    children: [],
    start,
    end: Math.max(start, msBetween(origin, BigInt(span.endNanos))),
    shift: 0,
    selfMs: null,
    critical: [],
  };
}

function missingNode(parentId: string, child: TreeNode): TreeNode {
  return {
    kind: "missing",
    key: `missing-${parentId}`,
    span: null,
    children: [child],
    start: child.start,
    end: child.end,
    shift: 0,
    selfMs: null,
    critical: [],
  };
}
