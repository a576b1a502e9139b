import type { ValueType } from "../../formats/pprof/profile.ts";
import { NodeTable } from "./tables.ts";
import { type CallTree, type DiffTree, findType, type Frame, type StackProfile } from "./stacks.ts";

/**
 * The tree of one value, without the stacks that have none of it.
 *
 * @param type found by its name; the tree's type tells the unit, which may be another one when profiles of several
 * units were added up
 * @param divideBy for an average: the sum of all values is divided and rounded, and that of every node is at most one
 * off its own share, so that totals stay true
 * @throws {RangeError} when the stacks have no such type
 */
export function callTree(stacks: StackProfile, type: ValueType, divideBy = 1n): CallTree {
  const place = findType(stacks.types, type);
  const column = stacks.selfs[place];
  if (!column) throw new RangeError(`There is no type ${type.type} in ${type.unit}`);
  const { parents, nodeFrames, frames, columns } = finishTree({
    count: stacks.parents.length,
    parents: stacks.parents,
    nodeFrames: stacks.nodeFrames,
    frames: stacks.frames,
    columns: [column],
  });
  const selfs = sharedOut(columns[0] as BigInt64Array, 1n, divideBy);
  return {
    type: stacks.types[place] as ValueType,
    frames,
    parents,
    nodeFrames,
    selfs,
    totals: totalsOf(parents, selfs),
  };
}

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

/** Nodes in the making: lists may be longer than there are nodes. */
interface RoughTree {
  readonly count: number;
  readonly parents: Uint32Array;
  readonly nodeFrames: Uint32Array;
  /** The first stands for the root. */
  readonly frames: readonly Frame[];
  /** Values of each node itself, of one type or several. */
  readonly columns: readonly BigInt64Array[];
}

/**
 * A tree without the nodes that have no value in any column nor below them, and without the frames that are then in no
 * stack; nodes in depth-first order, so that what is below one follows it.
 */
export function finishTree(
  { count, parents, nodeFrames, frames, columns }: RoughTree,
): Omit<RoughTree, "count"> {
  const isKept = keptNodes(count, parents, columns);
  const order = preorder(parents.subarray(0, count)).filter((node) => isKept[node]);
  const places = new Uint32Array(count);
  order.forEach((node, place) => places[node] = place);
  const framePlaces = new Int32Array(frames.length).fill(-1);
  framePlaces[0] = 0;
  const keptFrames = frames.slice(0, 1);
  const finished = {
    parents: new Uint32Array(order.length),
    nodeFrames: new Uint32Array(order.length),
    frames: keptFrames,
    columns: columns.map(() => new BigInt64Array(order.length)),
  };
  for (let place = 0; place < order.length; place++) {
    const node = order[place] as number;
    const frame = nodeFrames[node] as number;
    if (framePlaces[frame] === -1) framePlaces[frame] = keptFrames.push(frames[frame] as Frame) - 1;
    finished.parents[place] = places[parents[node] as number] as number;
    finished.nodeFrames[place] = framePlaces[frame] as number;
    for (let column = 0; column < columns.length; column++) {
      (finished.columns[column] as BigInt64Array)[place] =
        (columns[column] as BigInt64Array)[node] as bigint;
    }
  }
  return finished;
}

function keptNodes(
  count: number,
  parents: Uint32Array,
  columns: readonly BigInt64Array[],
): Uint8Array {
  const isKept = new Uint8Array(count);
  for (const column of columns) {
    for (let node = 0; node < count; node++) if (column[node] !== 0n) isKept[node] = 1;
  }
  for (let node = count - 1; node > 0; node--) {
    if (isKept[node]) isKept[parents[node] as number] = 1;
  }
  isKept[0] = 1;
  return isKept;
}

/** First child and next sibling of every node; 0 for none. Siblings stand in the order of their numbers. */
interface Kinship {
  readonly children: Uint32Array;
  readonly siblings: Uint32Array;
}

/** @param parents of each node, before it; the root's is 0 */
function kinshipOf(parents: Uint32Array): Kinship {
  const children = new Uint32Array(parents.length);
  const siblings = new Uint32Array(parents.length);
  for (let node = parents.length - 1; node > 0; node--) {
    const parent = parents[node] as number;
    siblings[node] = children[parent] as number;
    children[parent] = node;
  }
  return { children, siblings };
}

/** All nodes, each before those below it and these before its next sibling. */
export function preorder(parents: Uint32Array): Uint32Array {
  const { children, siblings } = kinshipOf(parents);
  const order = new Uint32Array(parents.length);
  let node = 0;
  for (let place = 0; place < order.length; place++) {
    order[place] = node;
    let next = children[node] as number;
    while (next === 0 && node !== 0) {
      next = siblings[node] as number;
      if (next === 0) node = parents[node] as number;
    }
    node = next;
  }
  return order;
}

/**
 * Walks down a tree: where each of its nodes goes in another one.
 *
 * @param place of a node, told where the one above it went; the root's is 0
 */
export function placedNodes(
  parents: Uint32Array,
  place: (node: number, above: number) => number,
): Uint32Array {
  const places = new Uint32Array(parents.length);
  for (let node = 1; node < places.length; node++) {
    places[node] = place(node, places[parents[node] as number] as number);
  }
  return places;
}

/** The value of each node with all below. */
function totalsOf(parents: Uint32Array, selfs: BigInt64Array): BigInt64Array {
  const totals = selfs.slice();
  for (let node = parents.length - 1; node > 0; node--) {
    const parent = parents[node] as number;
    totals[parent] = BigInt.asIntN(64, (totals[parent] as bigint) + (totals[node] as bigint));
  }
  return totals;
}

/** 1 for each node whose frame is that of no node above it: where recursion does not count twice. */
export function outermost(parents: Uint32Array, nodeFrames: Uint32Array): Uint8Array {
  const { children, siblings } = kinshipOf(parents);
  const isOutermost = new Uint8Array(parents.length);
  const above = new Uint32Array(1 + nodeFrames.reduce((most, frame) => Math.max(most, frame), 0));
  let node = children[0] as number;
  while (node !== 0) {
    const frame = nodeFrames[node] as number;
    if (above[frame] === 0) isOutermost[node] = 1;
    above[frame] = (above[frame] as number) + 1;
    let next = children[node] as number;
    while (next === 0 && node !== 0) {
      const left = nodeFrames[node] as number;
      above[left] = (above[left] as number) - 1;
      next = siblings[node] as number;
      if (next === 0) node = parents[node] as number;
    }
    node = next;
  }
  return isOutermost;
}

/**
 * How much there is to see of each node: the sizes of all values in it and below, of both sides of a comparison. Never
 * more than of the node above it, even where values are negative; the total where they are not.
 */
export function weightsOf(tree: CallTree): Float64Array {
  const { parents, selfs } = tree;
  const base = isDiffTree(tree) ? tree.baseSelfs : null;
  const weights = new Float64Array(parents.length);
  for (let node = parents.length - 1; node >= 0; node--) {
    const self = Math.abs(Number(selfs[node])) + Math.abs(base ? Number(base[node]) : 0);
    const weight = (weights[node] as number) + self;
    weights[node] = weight;
    if (node > 0) {
      const parent = parents[node] as number;
      weights[parent] = (weights[parent] as number) + weight;
    }
  }
  return weights;
}

/** Place of each frame when all are sorted, by which nodes of equal weight are told apart. */
export function frameRanks(frames: readonly Frame[]): Uint32Array {
  const ranks = new Uint32Array(frames.length);
  frames.map((frame, place) => ({ frame, place }))
    .sort((a, b) => compareFrames(a.frame, b.frame))
    .forEach(({ place }, rank) => ranks[place] = rank);
  return ranks;
}

/** By name, then file, then module; the same on every machine. */
export function compareFrames(a: Frame, b: Frame): number {
  return compare(a.name, b.name) || compare(a.file, b.file) || compare(a.module, b.module);
}

function compare(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

/**
 * Values times a fraction, in whole numbers that add up: the sum of any run of them is at most one off its own share,
 * since it is the running sum that is rounded. In depth-first order a run is what every subtree is.
 *
 * @param by the fraction's numerator, `of` its denominator, above 0
 */
export function sharedOut(values: BigInt64Array, by: bigint, of: bigint): BigInt64Array {
  if (by === of) return values;
  const shares = new BigInt64Array(values.length);
  let sum = 0n;
  let shared = 0n;
  for (let place = 0; place < values.length; place++) {
    const value = values[place] as bigint;
    if (value === 0n) continue;
    sum += value;
    const next = rounded(sum * by, of);
    shares[place] = next - shared;
    shared = next;
  }
  return shares;
}

/** Halves away from 0, so that a sum and its negative stay each other's negative. */
function rounded(value: bigint, of: bigint): bigint {
  const half = of / 2n;
  return (value < 0n ? value - half : value + half) / of;
}
