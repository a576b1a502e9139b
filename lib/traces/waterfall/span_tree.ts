import { exactNanos, msBetween } from "../../records/span_rules.ts";
import type { Interval, WaterfallSpan } from "../trace_types.ts";

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

interface SpanTree {
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
function spanOver(node: TreeNode): void {
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

interface SpanLinks {
  /** For each span the index of its parent; -1 for roots and for those whose parent is not in the trace. */
  readonly parents: Int32Array;
  /** Spans that were made roots, because they were their own ancestors. */
  readonly cut: ReadonlySet<number>;
}

/**
 * Finds each span's parent. Clients can send anything: of spans with one id the first is the parent, and
 * of spans that form a ring the first one becomes a root. Linear, and flat however deep spans are nested.
 */
function linkSpans(spans: readonly WaterfallSpan[]): SpanLinks {
  const byId = new Map<string, number>();
  for (const [index, { spanId }] of spans.entries()) {
    if (!byId.has(spanId)) byId.set(spanId, index);
  }
  const parents = Int32Array.from(
    spans,
    ({ parentSpanId }) => parentSpanId === null ? -1 : byId.get(parentSpanId) ?? -1,
  );
  return { parents, cut: cutRings(parents) };
}

/** Takes the parent away from one span of every ring, itself its parent being the smallest ring. */
function cutRings(parents: Int32Array): ReadonlySet<number> {
  const cut = new Set<number>();
  /** In which walk towards the root a span was first met. */
  const walkOf = new Int32Array(parents.length).fill(-1);
  for (let walk = 0; walk < parents.length; walk++) {
    let at = walk;
    while (at !== -1 && walkOf[at] === -1) {
      walkOf[at] = walk;
      at = parents[at] ?? -1;
    }
    if (at === -1 || walkOf[at] !== walk) continue;
    const first = firstOfRing(parents, at);
    parents[first] = -1;
    cut.add(first);
  }
  return cut;
}

function firstOfRing(parents: Int32Array, start: number): number {
  let first = start;
  for (let at = parents[start] ?? -1; at !== start; at = parents[at] ?? -1) {
    first = Math.min(first, at);
  }
  return first;
}

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

/** From so many on, siblings that are alike share a row until somebody asks for them. */
export const SIMILAR_FROM = 5;
/** Characters of a title by which spans are compared. */
const COMPARED = 200;

const QUOTED = /'[^']*'|"[^"]*"/g;
const UUID = /\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/gi;
/** Decimal, or enough hex digits to be an id. */
const NUMBER = /\b(?:0x)?[0-9a-f]{8,}\b|\d+(?:\.\d+)?/gi;
/** What is left of `1, 2, 3` and of `$1, $2, $3`. */
const LIST = /(\$?\*)(?:,\s*\$?\*)+/g;

/** Puts siblings that do the same under a node of their own, in the place of the first. Children are by start. */
export function groupSimilar(roots: readonly TreeNode[]): readonly TreeNode[] {
  // The same titles come again and again.
  const patterns = new Map<string, string>();
  // The list is made before the groups are: they would be looked into as well.
  for (const node of inPreOrder(roots)) node.children = grouped(node.children, patterns);
  return grouped(roots, patterns);
}

/** What titles of one kind of work have in common: `GET /users/7` and `GET /users/8` are `GET /users/*`. */
export function titlePattern(title: string): string {
  return title.slice(0, COMPARED)
    .replace(QUOTED, "*")
    .replace(UUID, "*")
    .replace(NUMBER, "*")
    .replace(LIST, "$1");
}

function grouped(siblings: readonly TreeNode[], patterns: Map<string, string>): TreeNode[] {
  if (siblings.length < SIMILAR_FROM) return [...siblings];
  const alike = new Map<string, TreeNode[]>();
  const kinds = siblings.map((node) => kindOf(node, patterns));
  for (const [index, node] of siblings.entries()) {
    const kind = kinds[index] ?? null;
    if (kind === null) continue;
    const others = alike.get(kind);
    if (others) others.push(node);
    else alike.set(kind, [node]);
  }
  return siblings.flatMap((node, index) => {
    const members = alike.get(kinds[index] ?? "") ?? [];
    if (members.length < SIMILAR_FROM) return [node];
    return members[0] === node ? [groupOf(members, node)] : [];
  });
}

function kindOf({ span }: TreeNode, patterns: Map<string, string>): string | null {
  if (span === null) return null;
  const pattern = patterns.get(span.title) ?? titlePattern(span.title);
  patterns.set(span.title, pattern);
  return JSON.stringify([span.service, span.op, pattern]);
}

function groupOf(members: TreeNode[], first: TreeNode): TreeNode {
  const node: TreeNode = {
    kind: "group",
    key: `group-${first.key}`,
    span: first.span,
    children: members,
    start: 0,
    end: 0,
    shift: first.shift,
    selfMs: null,
    critical: members.flatMap(({ critical }) => critical),
  };
  spanOver(node);
  return node;
}
