import type { ValueType } from "../../formats/pprof/profile.ts";

/** A function as stacks show it. Two with the same name, file and module are one. */
export interface Frame {
  readonly name: string;
  /** Source file, or `""`. */
  readonly file: string;
  /** Module, package or binary as the client named it, or `""`. */
  readonly module: string;
  /** Where the function begins, or the first of its lines that was seen; 0 when unknown. */
  readonly line: number;
  /** Whether it is the application's own code; null when nobody said. */
  readonly isInApp: boolean | null;
}

/**
 * Stacks of one profile or of many, as a tree from the outermost function inwards, with the exact values of every
 * sample type. Node 0 is the root, which is no function; parents stand before their children.
 */
export interface StackProfile {
  readonly types: readonly ValueType[];
  /** The first stands for the root. */
  readonly frames: readonly Frame[];
  /** Of each node; the root's is 0. */
  readonly parents: Uint32Array;
  /** Of each node, its place in `frames`. */
  readonly nodeFrames: Uint32Array;
  /** For each type, the value of each node itself without those below. */
  readonly selfs: readonly BigInt64Array[];
  /** How many profiles are in it. */
  readonly profiles: number;
  /** Added up over the profiles. */
  readonly durationNanos: bigint;
}

/** A tree of one value: what flame graphs, tables and exports are made of. Nodes are as in {@linkcode StackProfile}. */
export interface CallTree {
  readonly type: ValueType;
  readonly frames: readonly Frame[];
  readonly parents: Uint32Array;
  readonly nodeFrames: Uint32Array;
  readonly selfs: BigInt64Array;
  /** Of each node with all below. */
  readonly totals: BigInt64Array;
}

/** Two trees laid over one another: nodes of either are in both, with 0 where a tree lacks them. */
export interface DiffTree extends CallTree {
  /** Values of the first tree; `selfs` and `totals` are of the second. */
  readonly baseSelfs: BigInt64Array;
  readonly baseTotals: BigInt64Array;
}
