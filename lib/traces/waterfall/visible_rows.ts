import type { TraceModel } from "./trace_model.ts";

export interface RowChoice {
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
