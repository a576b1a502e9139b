import type { FlameData, FlameFrames } from "./flame_data.ts";
import type { ValueType } from "../../formats/pprof/profile.ts";

/** A flame chart in order of time: each node with when it began, in the unit of the values. */
export interface FlameChart extends FlameData {
  readonly starts: readonly number[];
}

/** Values of one side of a tree. */
export interface Side {
  readonly selfs: Float64Array;
  readonly totals: Float64Array;
}

/** {@linkcode FlameData} made ready to walk. Nodes are numbered in depth-first order; 0 is the root. */
export interface FlameTree extends Side {
  readonly type: ValueType;
  readonly frames: FlameFrames;
  readonly size: number;
  /** Number of levels, the root's included. */
  readonly levels: number;
  readonly depths: Uint16Array;
  /** The root's is -1. */
  readonly parents: Int32Array;
  /** The first node after all that are below a node: its next sibling, if it has one. */
  readonly ends: Uint32Array;
  readonly nodeFrames: Uint32Array;
  /** What it is compared with. */
  readonly base: Side | null;
  /** When each node began, for charts in order of time. */
  readonly starts: Float64Array | null;
  /** How many nodes below a node are left out, being too small. */
  readonly cut: ReadonlyMap<number, number>;
  /** Node of the tree as it came, before functions were hidden or recursion collapsed. */
  readonly originals: Uint32Array;
}

/** The columns from which a tree is made; lists of equal length. */
export interface TreeColumns {
  readonly depths: ArrayLike<number>;
  readonly nodeFrames: ArrayLike<number>;
  readonly selfs: ArrayLike<number>;
  readonly totals: ArrayLike<number>;
  readonly base: { readonly selfs: ArrayLike<number>; readonly totals: ArrayLike<number> } | null;
  readonly starts: ArrayLike<number> | null;
  readonly cut: Iterable<readonly [node: number, count: number]>;
  readonly originals?: ArrayLike<number>;
}

/** Makes what came from the server ready to walk. */
export function flameTree(data: FlameData & { readonly starts?: readonly number[] }): FlameTree {
  return treeOf(data, { ...data, base: data.base ?? null, starts: data.starts ?? null });
}

/** Makes a tree of columns, with the type and the frames of another. */
export function treeOf(
  { type, frames }: { readonly type: ValueType; readonly frames: FlameFrames },
  columns: TreeColumns,
): FlameTree {
  const size = columns.depths.length;
  const depths = Uint16Array.from(columns.depths);
  const { parents, ends, levels } = relations(depths);
  return {
    type,
    frames,
    size,
    levels,
    depths,
    parents,
    ends,
    nodeFrames: Uint32Array.from(columns.nodeFrames),
    selfs: Float64Array.from(columns.selfs),
    totals: Float64Array.from(columns.totals),
    base: columns.base && {
      selfs: Float64Array.from(columns.base.selfs),
      totals: Float64Array.from(columns.base.totals),
    },
    starts: columns.starts && Float64Array.from(columns.starts),
    cut: new Map(columns.cut),
    originals: columns.originals
      ? Uint32Array.from(columns.originals)
      : Uint32Array.from({ length: size }, (_, node) => node),
  };
}

/** The nodes directly below a node, in their order. */
export function* childrenOf({ ends }: FlameTree, node: number): Generator<number> {
  const end = ends[node] ?? 0;
  for (let child = node + 1; child < end; child = ends[child] ?? end) yield child;
}

/** Whether one node is the other, or above it. */
export function isWithin({ ends }: FlameTree, node: number, top: number): boolean {
  return node >= top && node < (ends[top] ?? 0);
}

function relations(depths: Uint16Array) {
  const parents = new Int32Array(depths.length).fill(-1);
  const ends = new Uint32Array(depths.length).fill(depths.length);
  /** The last node of each level on the way down to the current one. */
  const path: number[] = [];
  let levels = 0;
  for (const [node, depth] of depths.entries()) {
    for (const closed of path.splice(depth)) ends[closed] = node;
    parents[node] = path.at(-1) ?? -1;
    path.push(node);
    levels = Math.max(levels, depth + 1);
  }
  return { parents, ends, levels };
}
