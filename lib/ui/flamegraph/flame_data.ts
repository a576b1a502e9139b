import type { ValueType } from "../../formats/pprof/profile.ts";

/** What a browser gets to draw a flame graph: lists of equal length side by side, so that it stays small as JSON. */
export interface FlameData {
  readonly type: ValueType;
  readonly frames: FlameFrames;
  /**
   * Nodes from the root in depth-first order, siblings by their total, the largest first. Depth of each: 0 is the
   * root. The parent of a node is the last before it that is one level higher.
   */
  readonly depths: readonly number[];
  /** Place in `frames` of each node; the root's is 0. */
  readonly nodeFrames: readonly number[];
  readonly selfs: readonly number[];
  readonly totals: readonly number[];
  /** Nodes whose children are not all here, being too small to be seen: `[node, how many nodes are left out]`. */
  readonly cut: readonly (readonly [node: number, count: number])[];
  /** Values of what it is compared with. */
  readonly base?: { readonly selfs: readonly number[]; readonly totals: readonly number[] };
}

/** Functions; the first stands for the root. */
export interface FlameFrames {
  readonly names: readonly string[];
  /** Source files, each once, and the place of each function's among them. */
  readonly files: readonly string[];
  readonly fileOf: readonly number[];
  readonly modules: readonly string[];
  readonly moduleOf: readonly number[];
  readonly lines: readonly number[];
  /** 1: the application's own code, 0: a library's, 2: unknown. */
  readonly isInApp: readonly (0 | 1 | 2)[];
}
