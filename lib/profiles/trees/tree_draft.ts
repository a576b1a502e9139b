import { finishTree } from "./finish_tree.ts";
import { NodeTable } from "./node_table.ts";
import type { CallTree, DiffTree, Frame } from "./stack_profile.ts";
import { totalsOf } from "./tree_order.ts";

/** Whether a tree is a comparison, with two values for each node. */
export function isDiffTree(tree: CallTree): tree is DiffTree {
  return "baseSelfs" in tree;
}

/**
 * A tree in the making out of another one, with as many values for each node: one, or two if that is a comparison.
 */
export class TreeDraft<T extends CallTree> {
  readonly #source: T;
  readonly #nodes = new NodeTable();
  readonly #selfs: readonly BigInt64Array[];
  readonly #totals: readonly BigInt64Array[];
  readonly #columns: BigInt64Array[];

  constructor(source: T) {
    this.#source = source;
    this.#selfs = isDiffTree(source) ? [source.selfs, source.baseSelfs] : [source.selfs];
    this.#totals = isDiffTree(source) ? [source.totals, source.baseTotals] : [source.totals];
    this.#columns = this.#selfs.map(() => new BigInt64Array(1024));
  }

  /** Nodes so far. */
  get count(): number {
    return this.#nodes.count;
  }

  /** The child of a node of the draft with a frame; made when there is none. */
  child(parent: number, frame: number): number {
    return this.#nodes.child(parent, frame);
  }

  /** Whether a node of the source has a value itself. */
  hasSelf(from: number): boolean {
    return this.#selfs.some((column) => column[from] !== 0n);
  }

  /** Adds what a node of the source has itself to a node of the draft. */
  addSelf(node: number, from: number): void {
    this.#add(node, from, this.#selfs);
  }

  /** Adds what a node of the source has with all below to a node of the draft. */
  addTotal(node: number, from: number): void {
    this.#add(node, from, this.#totals);
  }

  /**
   * The tree, without nodes that came to have no values.
   *
   * @param frames what the numbers of frames mean; the first stands for the root
   */
  finish(frames: readonly Frame[] = this.#source.frames): T {
    const { count, parents, frames: nodeFrames } = this.#nodes;
    this.#columns.forEach((_, column) => this.#room(column, count - 1));
    const finished = finishTree({ count, parents, nodeFrames, frames, columns: this.#columns });
    return treeOf(this.#source, finished.frames, finished, finished.columns);
  }

  #add(node: number, from: number, values: readonly BigInt64Array[]): void {
    for (let index = 0; index < values.length; index++) {
      const value = (values[index] as BigInt64Array)[from] as bigint;
      if (value === 0n) continue;
      const column = this.#room(index, node);
      column[node] = BigInt.asIntN(64, (column[node] as bigint) + value);
    }
  }

  #room(index: number, node: number): BigInt64Array {
    const column = this.#columns[index] as BigInt64Array;
    if (node < column.length) return column;
    const larger = new BigInt64Array(Math.max(column.length * 2, node + 1));
    larger.set(column);
    return this.#columns[index] = larger;
  }
}

/** A tree of the same kind as another, a comparison or not, with its totals worked out. */
export function treeOf<T extends CallTree>(
  like: T,
  frames: readonly Frame[],
  { parents, nodeFrames }: Pick<CallTree, "parents" | "nodeFrames">,
  columns: readonly BigInt64Array[],
): T {
  const selfs = columns[0] as BigInt64Array;
  const tree: CallTree = {
    type: like.type,
    frames,
    parents,
    nodeFrames,
    selfs,
    totals: totalsOf(parents, selfs),
  };
  const baseSelfs = columns[1];
  const whole = baseSelfs
    ? { ...tree, baseSelfs, baseTotals: totalsOf(parents, baseSelfs) } satisfies DiffTree
    : tree;
  return whole as T;
}
