import { t } from "../../core/language/translate.ts";
import type { FlameFrames, FlameTree } from "./flame_tree.ts";
import { nameOf, placeOf } from "./frames.ts";

/** What is spent in a function, wherever it is called. */
export interface FunctionRow {
  /** Place among the functions of the tree. */
  readonly frame: number;
  readonly name: string;
  /** `file:line`, or `""`. */
  readonly place: string;
  readonly self: number;
  /** With what it calls; within itself it counts once. */
  readonly total: number;
  /** The same of what it is compared with. */
  readonly baseSelf: number;
  readonly baseTotal: number;
}

export type FunctionOrder = "name" | "place" | "self" | "total" | "change";

/** Adds up all functions that a tree shows. */
export function functionsOf(tree: FlameTree): FunctionRow[] {
  const count = tree.frames.names.length;
  const columns = {
    self: new Float64Array(count),
    total: new Float64Array(count),
    baseSelf: new Float64Array(count),
    baseTotal: new Float64Array(count),
  };
  const seen = addUp(tree, columns);
  const rows: FunctionRow[] = [];
  for (let frame = 1; frame < count; frame++) {
    if (seen[frame] === 0) continue;
    rows.push({
      frame,
      name: nameOf(tree.frames, frame),
      place: placeOf(tree.frames, frame),
      self: columns.self[frame] ?? 0,
      total: columns.total[frame] ?? 0,
      baseSelf: columns.baseSelf[frame] ?? 0,
      baseTotal: columns.baseTotal[frame] ?? 0,
    });
  }
  return sortedRows(rows, "self");
}

/** Numbers from the largest down, texts from A on; equal ones by their total and name. */
export function sortedRows(
  rows: readonly FunctionRow[],
  order: FunctionOrder,
  isReversed = false,
): FunctionRow[] {
  const side = isReversed ? -1 : 1;
  return rows.toSorted((a, b) =>
    side * compare(a, b, order) || b.total - a.total || compare(a, b, "name") || a.frame - b.frame
  );
}

function compare(a: FunctionRow, b: FunctionRow, order: FunctionOrder): number {
  switch (order) {
    case "name":
    case "place":
      return a[order] < b[order] ? -1 : a[order] > b[order] ? 1 : 0;
    case "change":
      return Math.abs(b.total - b.baseTotal) - Math.abs(a.total - a.baseTotal);
    default:
      return (b[order] + (order === "self" ? b.baseSelf : b.baseTotal)) -
        (a[order] + (order === "self" ? a.baseSelf : a.baseTotal));
  }
}

function addUp(
  { size, frames, depths, nodeFrames, selfs, totals, base }: FlameTree,
  into: Record<"self" | "total" | "baseSelf" | "baseTotal", Float64Array>,
): Uint8Array {
  const seen = new Uint8Array(frames.names.length);
  /** How often each function stands on the way down to the current node. */
  const open = new Uint32Array(frames.names.length);
  const path: number[] = [];
  const add = (column: Float64Array, frame: number, value: number | undefined) => {
    column[frame] = (column[frame] ?? 0) + (value ?? 0);
  };
  for (let node = 0; node < size; node++) {
    for (const closed of path.splice(depths[node] ?? 0)) open[closed] = (open[closed] ?? 1) - 1;
    const frame = nodeFrames[node] ?? 0;
    add(into.self, frame, selfs[node]);
    add(into.baseSelf, frame, base?.selfs[node]);
    if (open[frame] === 0) {
      add(into.total, frame, totals[node]);
      add(into.baseTotal, frame, base?.totals[node]);
    }
    open[frame] = (open[frame] ?? 0) + 1;
    seen[frame] = 1;
    path.push(frame);
  }
  return seen;
}

/** As many characters of a search as anybody types. */
const MAX_TEXT = 300;

/** What a search means: a test of texts, nothing, or what is wrong with it. */
export type Search =
  | { readonly kind: "none" }
  | { readonly kind: "invalid"; readonly message: string }
  | { readonly kind: "test"; readonly test: (text: string) => boolean };

/** What a search finds in a tree. */
export interface Found {
  /** Of each function of the tree whether it is found. */
  readonly frames: Uint8Array;
  /** Nodes of these functions, in depth-first order. */
  readonly nodes: readonly number[];
}

/**
 * Reads a search: a part of a function's name or file in any case, or `/a regular expression/`. Regular expressions
 * run in the browser of whoever typed them, never on the server.
 */
export function readSearch(text: string): Search {
  const wanted = text.trim().slice(0, MAX_TEXT);
  if (wanted === "") return { kind: "none" };
  const expression = /^\/(.+)\/$/s.exec(wanted)?.[1];
  if (expression === undefined) {
    const lower = wanted.toLowerCase();
    return { kind: "test", test: (name) => name.toLowerCase().includes(lower) };
  }
  try {
    const compiled = new RegExp(expression, "iu");
    return { kind: "test", test: (name) => compiled.test(name) };
  } catch {
    return { kind: "invalid", message: t("not a regular expression") };
  }
}

/** Finds functions by name, file or module. Null for no search, or one that cannot be read. */
export function find(tree: FlameTree, search: Search): Found | null {
  if (search.kind !== "test") return null;
  const frames = foundFrames(tree.frames, search.test);
  const nodes: number[] = [];
  for (const [node, frame] of tree.nodeFrames.entries()) {
    if (node > 0 && frames[frame] === 1) nodes.push(node);
  }
  return { frames, nodes };
}

/** What is spent in found functions below a node, with what they call; a find within a find counts once. */
export function foundTotal(tree: FlameTree, { frames }: Found, top: number): number {
  const end = tree.ends[top] ?? 0;
  let total = 0;
  for (let node = top; node < end;) {
    const isFound = node > 0 && frames[tree.nodeFrames[node] ?? 0] === 1;
    if (isFound) total += tree.totals[node] ?? 0;
    node = isFound ? tree.ends[node] ?? end : node + 1;
  }
  return total;
}

/** The found node after or before another; round the end to the other one. Null when there is none. */
export function nextFound(
  { nodes }: Found,
  from: number,
  step: 1 | -1,
  isOffered: (node: number) => boolean = () => true,
): number | null {
  const offered = nodes.filter(isOffered);
  const next = step === 1
    ? offered.find((node) => node > from) ?? offered[0]
    : offered.findLast((node) => node < from) ?? offered.at(-1);
  return next ?? null;
}

function foundFrames(frames: FlameFrames, test: (text: string) => boolean): Uint8Array {
  const files = frames.files.map(test);
  const modules = frames.modules.map(test);
  return Uint8Array.from(frames.names, (name, frame) => {
    const isFound = test(name) || files[frames.fileOf[frame] ?? 0] ||
      modules[frames.moduleOf[frame] ?? 0];
    return frame > 0 && isFound ? 1 : 0;
  });
}
