import type { FlameTree } from "./flame_tree.ts";
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
