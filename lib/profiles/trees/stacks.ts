import type { ValueType } from "../../formats/pprof/profile.ts";
import { foldedUnit, timesFiner } from "../../core/value_units.ts";

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

/**
 * The place of a type among others: the same, else one of the same name whose unit can be scaled to it; -1 for none.
 * Names are the same up to a final `s`.
 */
export function findType(types: readonly ValueType[], { type, unit }: ValueType): number {
  const same = types.findIndex((other) => other.type === type && other.unit === unit);
  if (same >= 0) return same;
  return types.findIndex((other) =>
    foldedUnit(other.type) === foldedUnit(type) &&
    (timesFiner(other.unit, unit) ?? timesFiner(unit, other.unit)) !== null
  );
}

/**
 * How large trees may grow. What is done with a tree is done in one go, in which nobody else is served: with so many
 * nodes, a step takes a fifth of a second. The largest genuine profile known makes 425,000.
 */
export const TREE_LIMITS = {
  /** Of a tree of stacks. Beyond, stacks end where the tree does; their values stay. */
  nodes: 800_000,
  /** Different functions. */
  frames: 250_000,
  /** UTF-16 units of their names, files and modules together. */
  text: 16_000_000,
  /** Of a tree that is turned round, which may have many times the nodes that it is made of. */
  turnedNodes: 800_000,
  /** Frames of all stacks together that are walked to turn a tree round. */
  turnedSteps: 8_000_000,
  /** Frames of all stacks together in a file. */
  exportedFrames: 10_000_000,
  /** UTF-16 units of a file of lines. */
  exportedText: 64_000_000,
} as const;
