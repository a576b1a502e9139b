/** What a reader has made of a waterfall: folded, searched, zoomed, chosen. Every function returns a new state. */
import type { Interval } from "../trace_types.ts";
import type { TraceModel, TraceNode } from "./trace_model.ts";

export type ColourBy = "service" | "category";

export interface WaterfallState {
  /** Indices of nodes whose children are folded away. */
  readonly collapsed: ReadonlySet<number>;
  readonly query: string;
  /** Indices of the nodes that the search finds. */
  readonly found: readonly number[];
  /** Shows what is found and the way to it, nothing else. */
  readonly showsOnlyFound: boolean;
  /** Index of the node that the keyboard is at. */
  readonly active: number;
  /** Index of the node whose panel is open. */
  readonly opened: number | null;
  /** The shown time, in milliseconds since the start of the trace. */
  readonly view: Interval;
  readonly colourBy: ColourBy;
  readonly showsCriticalPath: boolean;
}

/** Nothing is measured finer, so nobody needs to look closer. */
const SHORTEST_VIEW_MS = 0.01;

/** The whole trace; never empty, so that there is always something to divide by. */
export function wholeView({ durationMs }: TraceModel): Interval {
  return { start: 0, end: Math.max(durationMs, SHORTEST_VIEW_MS) };
}

/**
 * How a waterfall is shown at first.
 *
 * @param openKey key of the node whose panel is open, as the address says
 * @param unfoldsGroups shows similar siblings one by one
 */
export function firstState(
  model: TraceModel,
  openKey: string | null,
  unfoldsGroups: boolean,
): WaterfallState {
  const state: WaterfallState = {
    collapsed: unfoldsGroups ? new Set() : foldedAtFirst(model),
    query: "",
    found: [],
    showsOnlyFound: false,
    active: 0,
    opened: null,
    view: wholeView(model),
    colourBy: "service",
    showsCriticalPath: true,
  };
  const opened = openKey === null ? undefined : model.byKey.get(openKey);
  return opened === undefined ? state : open(model, state, opened);
}

/** Indices of the nodes that have a row. */
export function rowsOf(model: TraceModel, { collapsed, showsOnlyFound, found }: WaterfallState) {
  return visibleRows(model, { collapsed, only: showsOnlyFound && found.length > 0 ? found : null });
}

/** Opens the panel of a node and goes there. */
export function open(model: TraceModel, state: WaterfallState, node: number): WaterfallState {
  return { ...goTo(model, state, node), opened: node };
}

/** Makes a node active, unfolding whatever hides it. */
function goTo(model: TraceModel, state: WaterfallState, node: number): WaterfallState {
  const collapsed = new Set(state.collapsed);
  for (const ancestor of ancestorsOf(model, node)) collapsed.delete(ancestor);
  return { ...state, active: node, collapsed };
}

/** Goes so many rows down, or up. */
function moveBy(model: TraceModel, state: WaterfallState, rows: number): WaterfallState {
  const all = rowsOf(model, state);
  const to = Math.min(Math.max(rowOf(all, state.active) + rows, 0), all.length - 1);
  return { ...state, active: all[to] ?? 0 };
}

/** Folds a node, or unfolds it; the keyboard stays on a row that can be seen. */
export function toggle(model: TraceModel, state: WaterfallState, node: number): WaterfallState {
  const { children = 0, size = 1 } = model.nodes[node] ?? {};
  if (children === 0) return state;
  const collapsed = new Set(state.collapsed);
  if (collapsed.delete(node)) return { ...state, collapsed };
  collapsed.add(node);
  const isHidden = state.active > node && state.active < node + size;
  return { ...state, collapsed, active: isHidden ? node : state.active };
}

/** Arrow right: unfolds the active node, then goes to its first child. */
function stepIn(model: TraceModel, state: WaterfallState): WaterfallState {
  if ((model.nodes[state.active]?.children ?? 0) === 0) return state;
  return state.collapsed.has(state.active)
    ? toggle(model, state, state.active)
    : moveBy(model, state, 1);
}

/** Arrow left: folds the active node, then goes to its parent. */
function stepOut(model: TraceModel, state: WaterfallState): WaterfallState {
  const { children = 0, parent = -1 } = model.nodes[state.active] ?? {};
  if (children > 0 && !state.collapsed.has(state.active)) {
    return toggle(model, state, state.active);
  }
  return parent === -1 ? state : { ...state, active: parent };
}

/** Folds everything below the top, or unfolds everything. */
export function foldAll(model: TraceModel, state: WaterfallState, folds: boolean): WaterfallState {
  if (!folds) return { ...state, collapsed: new Set() };
  const collapsed = new Set<number>();
  for (const [index, { children }] of model.nodes.entries()) if (children > 0) collapsed.add(index);
  const top = ancestorsOf(model, state.active).at(-1) ?? state.active;
  return { ...state, collapsed, active: top };
}

/** Takes a new search; the keyboard goes to the first that is found. */
export function search(model: TraceModel, state: WaterfallState, query: string): WaterfallState {
  const found = findSpans(model, query);
  const next = { ...state, query, found };
  const first = found.find((index) => index >= state.active) ?? found[0];
  return first === undefined ? next : goTo(model, next, first);
}

/** Goes to the next that is found, or the one before. */
export function goToFound(model: TraceModel, state: WaterfallState, step: 1 | -1): WaterfallState {
  const next = nextFound(state.found, state.active, step);
  return next === null ? state : goTo(model, state, next);
}

/** Shows a stretch of the trace's time, kept within it and no shorter than can be told apart. */
export function zoomTo(model: TraceModel, state: WaterfallState, wanted: Interval): WaterfallState {
  const whole = wholeView(model);
  const from = Math.min(wanted.start, wanted.end);
  const length = Math.min(
    Math.max(Math.abs(wanted.end - wanted.start), SHORTEST_VIEW_MS),
    whole.end,
  );
  const start = Math.min(Math.max(from, 0), whole.end - length);
  return { ...state, view: { start, end: start + length } };
}

/** Zooms in (`factor` below 1) or out around the active span, or around the middle when that is out of sight. */
export function zoomBy(model: TraceModel, state: WaterfallState, factor: number): WaterfallState {
  const { start, end } = state.view;
  const node = model.nodes[state.active];
  const middle = node ? (node.start + node.end) / 2 : 0;
  const around = middle >= start && middle <= end ? middle : (start + end) / 2;
  return zoomTo(model, state, {
    start: around - (around - start) * factor,
    end: around + (end - around) * factor,
  });
}

/** Moves the shown time by a part of its length: 0.25 is a quarter to the right. */
function panBy(model: TraceModel, state: WaterfallState, part: number): WaterfallState {
  const { start, end } = state.view;
  const by = (end - start) * part;
  return zoomTo(model, state, { start: start + by, end: end + by });
}

/** Closes the panel. */
export function close(state: WaterfallState): WaterfallState {
  return { ...state, opened: null };
}

interface RowChoice {
  /** Indices of nodes whose children are folded away. */
  readonly collapsed: ReadonlySet<number>;
  /** Indices of nodes to show, with the way to them; null for all. */
  readonly only: readonly number[] | null;
}

/** Indices of the nodes that have a row, in ascending order. */
export function visibleRows({ nodes }: TraceModel, { collapsed, only }: RowChoice): number[] {
  const kept = only && withAncestors(nodes, only);
  const rows: number[] = [];
  for (let index = 0; index < nodes.length;) {
    const size = nodes[index]?.size ?? 1;
    if (kept && kept[index] === 0) {
      index += size;
      continue;
    }
    rows.push(index);
    index += collapsed.has(index) ? size : 1;
  }
  return rows;
}

/** The groups, which are folded until somebody opens them. */
export function foldedAtFirst({ nodes }: TraceModel): ReadonlySet<number> {
  const groups = new Set<number>();
  for (const [index, { kind }] of nodes.entries()) if (kind === "group") groups.add(index);
  return groups;
}

/** What has to be opened so that a node has a row. */
export function ancestorsOf({ nodes }: TraceModel, index: number): number[] {
  const ancestors: number[] = [];
  for (let at = nodes[index]?.parent ?? -1; at !== -1; at = nodes[at]?.parent ?? -1) {
    ancestors.push(at);
  }
  return ancestors;
}

/** Where a node stands among the rows: its own, or that of the nearest node which hides it. */
export function rowOf(rows: readonly number[], node: number): number {
  let low = 0;
  let high = rows.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((rows[middle] ?? 0) <= node) low = middle + 1;
    else high = middle;
  }
  return Math.max(0, low - 1);
}

function withAncestors(nodes: TraceModel["nodes"], only: readonly number[]): Uint8Array {
  const kept = new Uint8Array(nodes.length);
  for (const index of only) kept[index] = 1;
  for (let index = nodes.length - 1; index >= 0; index--) {
    const parent = nodes[index]?.parent ?? -1;
    if (kept[index] === 1 && parent !== -1) kept[parent] = 1;
  }
  return kept;
}

/** As many characters of a search as anybody types. */
const MAX_QUERY = 200;
const FAILED = "is:failed";

/**
 * Indices of the spans that a search finds, in the order of the rows. Every word must be in the title, the
 * operation, the service, the category, the status or the span id; `is:failed` finds failed spans.
 *
 * @returns an empty list for an empty search
 */
export function findSpans({ nodes }: TraceModel, query: string): number[] {
  const words = query.slice(0, MAX_QUERY).toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return [];
  const onlyFailed = words.includes(FAILED);
  const texts = words.filter((word) => word !== FAILED);
  return nodes.flatMap((node, index) => {
    if (node.kind === "group" || (onlyFailed && !node.span?.isFailed)) return [];
    const text = texts.length === 0 ? "" : searchText(node);
    return texts.every((word) => text.includes(word)) ? [index] : [];
  });
}

/** The next or previous of the found ones, seen from a node; round the end to the other one. Null for none. */
export function nextFound(found: readonly number[], from: number, step: 1 | -1): number | null {
  const next = step === 1
    ? found.find((index) => index > from) ?? found[0]
    : found.findLast((index) => index < from) ?? found.at(-1);
  return next ?? null;
}

function searchText({ label, span }: TraceNode): string {
  if (span === null) return label.toLowerCase();
  const { op, service, category, status, spanId } = span;
  return [label, op, service, category, status, spanId].join("\n").toLowerCase();
}

const EVERYTHING = Number.MAX_SAFE_INTEGER;
const ZOOM = 0.5;
const PAN = 0.25;

/** The part of a key press that matters. */
export interface Key {
  readonly key: string;
  readonly shiftKey: boolean;
}

/**
 * What a key does while the waterfall has the focus.
 *
 * @param pageRows rows that are in sight at once
 * @returns the new state, or null when the key means nothing here
 */
export function pressed(
  { key, shiftKey }: Key,
  model: TraceModel,
  state: WaterfallState,
  pageRows: number,
): WaterfallState | null {
  switch (key) {
    case "ArrowDown":
      return moveBy(model, state, 1);
    case "ArrowUp":
      return moveBy(model, state, -1);
    case "ArrowRight":
      return shiftKey ? panBy(model, state, PAN) : stepIn(model, state);
    case "ArrowLeft":
      return shiftKey ? panBy(model, state, -PAN) : stepOut(model, state);
    case "PageDown":
      return moveBy(model, state, pageRows);
    case "PageUp":
      return moveBy(model, state, -pageRows);
    case "Home":
      return moveBy(model, state, -EVERYTHING);
    case "End":
      return moveBy(model, state, EVERYTHING);
    case "Enter":
    case " ":
      return open(model, state, state.active);
    case "Escape":
      return state.opened === null ? null : close(state);
    case "n":
      return goToFound(model, state, 1);
    case "N":
      return goToFound(model, state, -1);
    case "+":
    case "=":
      return zoomBy(model, state, ZOOM);
    case "-":
      return zoomBy(model, state, 1 / ZOOM);
    case "0":
      return zoomTo(model, state, wholeView(model));
    default:
      return null;
  }
}
