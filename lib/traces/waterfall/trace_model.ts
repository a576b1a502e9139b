import { type Message, t } from "../../core/language/translate.ts";
import { SPAN_CATEGORIES, type SpanCategory } from "../../records/mod.ts";
import type { Interval, WaterfallData, WaterfallProject, WaterfallSpan } from "../trace_types.ts";
import { type Mark, placeMarks } from "./marks.ts";
import {
  buildTree,
  byStart,
  evenClocks,
  groupSimilar,
  inPreOrder,
  type NodeKind,
  titlePattern,
  type TreeNode,
} from "./span_tree.ts";

/** A row that the waterfall can show. Times in milliseconds since the start of the trace. */
export interface TraceNode {
  readonly kind: NodeKind;
  /** The span's id; of others unlike any span's. */
  readonly key: string;
  /** Of a group its first span; null for what is missing. */
  readonly span: WaterfallSpan | null;
  readonly label: string;
  /** Index of the parent; -1 for roots. */
  readonly parent: number;
  /** 0 for roots. */
  readonly depth: number;
  /** How many nodes it and all below it are: they stand right after it. */
  readonly size: number;
  /** How many it has right below it. */
  readonly children: number;
  readonly start: number;
  readonly end: number;
  /** By how many milliseconds it was moved for display, against clocks that differ. */
  readonly shift: number;
  /** Null for what is missing; of a group the sum. */
  readonly selfMs: number | null;
  /** Of a span its duration, of a group the sum, of what is missing how far its children reach. */
  readonly durationMs: number;
  /** Parts on the critical path. */
  readonly critical: readonly Interval[];
}

export interface TraceModel {
  readonly traceId: string;
  /** In milliseconds since 1970; 0 without spans. */
  readonly start: number;
  readonly durationMs: number;
  /** Parents before their children; whatever is below a node stands right after it. */
  readonly nodes: readonly TraceNode[];
  readonly byKey: ReadonlyMap<string, number>;
  /** The first without a parent, else the first at all; null without spans. */
  readonly root: TraceNode | null;
  readonly spanCount: number;
  /** How many failed spans stand before a node: the difference of two counts those between. */
  readonly failedBefore: Int32Array;
  readonly services: readonly LegendEntry[];
  readonly categories: readonly LegendEntry[];
  readonly marks: readonly Mark[];
  /** Those that parts of the trace were sent to, by id. */
  readonly projects: ReadonlyMap<string, WaterfallProject>;
  readonly notes: TraceNotes;
}

/** What a reader must know to read the trace right. */
interface TraceNotes {
  /** There is more of something than is read at once. */
  readonly isCut: boolean;
  /** No span is without a parent: what began the trace is not there. */
  readonly isRootMissing: boolean;
  /** Spans of projects that the reader may not see. */
  readonly hiddenSpans: number;
  readonly missingParents: number;
  /** Spans at the top that say they have no parent. */
  readonly roots: number;
  /** Spans that were moved as clocks differ. */
  readonly movedSpans: number;
  /** Spans that were their own ancestors. */
  readonly ringsCut: number;
}

/** Everything about a trace that does not depend on what its reader has folded or searched. */
export function traceModel(data: WaterfallData): TraceModel {
  const origin = originOf(data.spans);
  const tree = buildTree(data.spans, origin);
  const movedSpans = evenClocks(tree.roots);
  for (const node of inPreOrder(tree.roots)) node.children.sort(byStart);
  measureSelfTimes(tree.roots);
  const main = tree.roots.find(({ kind }) => kind === "span") ?? tree.roots[0];
  if (main) markCriticalPath(main);
  const ordered = inPreOrder(groupSimilar(tree.roots));
  const reach = extent(ordered);
  const nodes = numbered(ordered, reach.start);
  const start = ordered.length === 0 ? 0 : origin + reach.start;
  const byKey = new Map(nodes.map(({ key }, index) => [key, index]));
  const root = main ? nodes[byKey.get(main.key) ?? -1] ?? null : null;
  const spans = nodes.filter(({ kind }) => kind === "span");
  return {
    traceId: data.traceId,
    start,
    durationMs: reach.end - reach.start,
    nodes,
    byKey,
    root,
    spanCount: spans.length,
    failedBefore: countFailed(nodes),
    services: serviceLegend(measured(spans, ({ service }) => service)),
    categories: categoryLegend(measured(spans, ({ category }) => category)),
    marks: placeMarks(data, { start, byKey, nodes }),
    projects: new Map(data.projects.map((project) => [project.id, project])),
    notes: {
      isCut: data.isCut,
      isRootMissing: tree.roots.length > 0 && tree.roots.every(({ kind }) => kind === "missing"),
      hiddenSpans: data.hiddenSpans,
      missingParents: tree.roots.filter(({ kind }) => kind === "missing").length,
      roots: tree.roots.filter(({ kind }) => kind === "span").length,
      movedSpans,
      ringsCut: tree.ringsCut,
    },
  };
}

/** The span that a node of this key is; null for anything else. */
export function spanOf({ byKey, nodes }: TraceModel, key: string): WaterfallSpan | null {
  const node = nodes[byKey.get(key) ?? -1];
  return node?.kind === "span" ? node.span : null;
}

/** How many failed spans a node and all below it are. */
export function failedWithin({ failedBefore, nodes }: TraceModel, index: number): number {
  const to = index + (nodes[index]?.size ?? 0);
  return (failedBefore[to] ?? 0) - (failedBefore[index] ?? 0);
}

/** A whole millisecond at or before all spans: numbers that count from it have room for nanoseconds. */
function originOf(spans: readonly WaterfallSpan[]): number {
  const first = spans.reduce((least, { start }) => Math.min(least, start), Infinity);
  return Number.isFinite(first) ? Math.floor(first) : 0;
}

function extent(nodes: readonly TreeNode[]): Interval {
  let start = Infinity;
  let end = -Infinity;
  for (const node of nodes) {
    start = Math.min(start, node.start);
    end = Math.max(end, node.end);
  }
  return nodes.length === 0 ? { start: 0, end: 0 } : { start, end };
}

function numbered(ordered: readonly TreeNode[], origin: number): TraceNode[] {
  const parents = parentsOf(ordered);
  const sizes = new Int32Array(ordered.length).fill(1);
  for (let index = ordered.length - 1; index > 0; index--) {
    const parent = parents[index] ?? -1;
    if (parent !== -1) sizes[parent] = (sizes[parent] ?? 0) + (sizes[index] ?? 0);
  }
  const depths = new Int32Array(ordered.length);
  return ordered.map((node, index): TraceNode => {
    const parent = parents[index] ?? -1;
    const depth = parent === -1 ? 0 : (depths[parent] ?? 0) + 1;
    depths[index] = depth;
    const { kind, key, span, shift } = node;
    return {
      kind,
      key,
      span,
      label: labelOf(node),
      parent,
      depth,
      size: sizes[index] ?? 1,
      children: node.children.length,
      start: node.start - origin,
      end: node.end - origin,
      shift,
      selfMs: kind === "group" ? sum(node.children, ({ selfMs }) => selfMs ?? 0) : node.selfMs,
      durationMs: kind === "group" ? sum(node.children, durationOf) : durationOf(node),
      critical: node.critical.map(({ start, end }) => ({
        start: start - origin,
        end: end - origin,
      })),
    };
  });
}

/** Indices of the parents of nodes in pre-order; -1 for roots. */
function parentsOf(ordered: readonly TreeNode[]): Int32Array {
  const parents = new Int32Array(ordered.length).fill(-1);
  const open: { readonly index: number; left: number }[] = [];
  for (const [index, { children }] of ordered.entries()) {
    while (open.at(-1)?.left === 0) open.pop();
    const above = open.at(-1);
    if (above) {
      above.left--;
      parents[index] = above.index;
    }
    open.push({ index, left: children.length });
  }
  return parents;
}

function labelOf({ kind, key, span, children }: TreeNode): string {
  if (span === null) return t("missing parent {id}", { id: key.slice("missing-".length) });
  if (kind === "span") return span.title;
  const isSame = children.every((child) => child.span?.title === span.title);
  return `${children.length} × ${isSame ? span.title : titlePattern(span.title)}`;
}

function durationOf({ start, end }: Interval): number {
  return end - start;
}

function sum<T>(list: readonly T[], value: (one: T) => number): number {
  return list.reduce((total, one) => total + value(one), 0);
}

function countFailed(nodes: readonly TraceNode[]): Int32Array {
  const before = new Int32Array(nodes.length + 1);
  for (const [index, { kind, span }] of nodes.entries()) {
    before[index + 1] = (before[index] ?? 0) + (kind === "span" && span?.isFailed ? 1 : 0);
  }
  return before;
}

function* measured(nodes: readonly TraceNode[], idOf: (span: WaterfallSpan) => string) {
  for (const { span, selfMs } of nodes) {
    if (span) yield { id: idOf(span), isFailed: span.isFailed, selfMs: selfMs ?? 0 };
  }
}

/** Sets each span's own time: its duration without what its children cover of it. Children are by start. */
function measureSelfTimes(roots: readonly TreeNode[]): void {
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
function markCriticalPath(root: TreeNode): void {
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

/** As many as there are `--series-…` colours; numbered from 1. */
export const SERIES = 8;
/** The grey one, for what has no kind of its own. */
const PLAIN = 8;

const CATEGORY_LABELS: Readonly<Record<SpanCategory, Message>> = {
  "": "own code",
  http: "HTTP",
  db: "database",
  cache: "cache",
  queue: "queue",
  rpc: "RPC",
  render: "rendering",
  resource: "resources",
  file: "files",
  ai: "AI",
};

/** A service or a category in the legend. */
export interface LegendEntry {
  /** Of a service its name, of a category its id. */
  readonly id: string;
  readonly label: string;
  /** Number of its series colour, 1 to 8. */
  readonly colour: number;
  readonly spans: number;
  readonly failed: number;
  /** Self time of its spans together. */
  readonly selfMs: number;
}

interface Measured {
  readonly id: string;
  readonly isFailed: boolean;
  readonly selfMs: number;
}

/** Services in the order in which they come up; from the ninth on, colours come again. */
function serviceLegend(spans: Iterable<Measured>): readonly LegendEntry[] {
  return [...tally(spans)].map(([id, sums], index) => ({
    id,
    label: id === "" ? t("unnamed service") : id,
    colour: index % SERIES + 1,
    ...sums,
  }));
}

/** Categories in their fixed order; own code is always the grey one. */
function categoryLegend(spans: Iterable<Measured>): readonly LegendEntry[] {
  const sums = tally(spans);
  const present = SPAN_CATEGORIES.filter((id) => id !== "" && sums.has(id));
  return [...present, "" as const].flatMap((id, index) => {
    const found = sums.get(id);
    const colour = id === "" ? PLAIN : index % (SERIES - 1) + 1;
    return found ? [{ id, label: t(CATEGORY_LABELS[id]), colour, ...found }] : [];
  });
}

function tally(spans: Iterable<Measured>) {
  const sums = new Map<string, { spans: number; failed: number; selfMs: number }>();
  for (const { id, isFailed, selfMs } of spans) {
    const sum = sums.get(id) ?? { spans: 0, failed: 0, selfMs: 0 };
    sum.spans++;
    if (isFailed) sum.failed++;
    sum.selfMs += selfMs;
    sums.set(id, sum);
  }
  return sums;
}

/** Of how many parts of the shown time two spans are told apart; closer ones are drawn as one. */
const TOLD_APART = 400;

/** Where a time stands in the shown stretch, in percent; a little outside at most, whatever the zoom. */
export function percentOf(time: number, { start, end }: Interval): number {
  const percent = (time - start) / (end - start) * 100;
  return Math.min(Math.max(Math.round(percent * 100) / 100, -5), 105);
}

/** The stretches that the children of a node cover, near ones as one: what a group's bar consists of. */
export function coveredByChildren(
  { nodes }: TraceModel,
  index: number,
  view: Interval,
): readonly Interval[] {
  const gap = (view.end - view.start) / TOLD_APART;
  const to = index + (nodes[index]?.size ?? 1);
  const covered: { start: number; end: number }[] = [];
  for (let at = index + 1; at < to; at += nodes[at]?.size ?? 1) {
    const { start = 0, end = 0 } = nodes[at] ?? {};
    const last = covered.at(-1);
    if (end < view.start || start > view.end) continue;
    if (last && start - last.end < gap) last.end = Math.max(last.end, end);
    else covered.push({ start, end });
  }
  return covered;
}
