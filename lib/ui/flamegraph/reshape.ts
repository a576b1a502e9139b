import { childrenOf, type FlameTree, treeOf } from "./flame_tree.ts";

/** How a tree is shown other than it came. */
export interface Reshaping {
  /** Places of functions that are taken out of all stacks. */
  readonly hidden: ReadonlySet<number>;
  /** A function that calls itself directly is one box. */
  readonly collapsesRecursion: boolean;
}

interface Group {
  readonly frame: number;
  readonly depth: number;
  /** Nodes that become one; none is below another. */
  readonly sources: number[];
}

/**
 * Takes functions out of the stacks, or makes one box of direct recursion: what such a node spent itself counts for
 * the box above it, which also takes over the nodes below. Siblings of the same function become one, except in order
 * of time. All totals stay true.
 *
 * @returns the same tree when there is nothing to do
 */
export function reshaped(tree: FlameTree, reshaping: Reshaping): FlameTree {
  if (!reshaping.collapsesRecursion && reshaping.hidden.size === 0) return tree;
  const out = new Columns(tree);
  const waiting: Group[] = [{ frame: tree.nodeFrames[0] ?? 0, depth: 0, sources: [0] }];
  for (let group = waiting.pop(); group; group = waiting.pop()) {
    const below = out.add(group, reshaping);
    waiting.push(...below.reverse());
  }
  return treeOf(tree, out);
}

class Columns {
  readonly #tree: FlameTree;
  readonly depths: number[] = [];
  readonly nodeFrames: number[] = [];
  readonly selfs: number[] = [];
  readonly totals: number[] = [];
  readonly base: { selfs: number[]; totals: number[] } | null;
  readonly starts: number[] | null;
  readonly cut: [number, number][] = [];
  readonly originals: number[] = [];

  constructor(tree: FlameTree) {
    this.#tree = tree;
    this.base = tree.base && { selfs: [], totals: [] };
    this.starts = tree.starts && [];
  }

  /** Writes one node; returns those below it in their order. */
  add({ frame, depth, sources }: Group, reshaping: Reshaping): Group[] {
    const { selfs, totals, base, starts, cut } = this.#tree;
    const { taken, below } = this.#gather(frame, depth, sources, reshaping);
    const first = sources[0] ?? 0;
    const missing = sum(taken, (node) => cut.get(node));
    if (missing > 0) this.cut.push([this.depths.length, missing]);
    this.depths.push(depth);
    this.nodeFrames.push(frame);
    this.originals.push(first);
    this.selfs.push(sum(taken, (node) => selfs[node]));
    this.totals.push(sum(sources, (node) => totals[node]));
    this.base?.selfs.push(sum(taken, (node) => base?.selfs[node]));
    this.base?.totals.push(sum(sources, (node) => base?.totals[node]));
    this.starts?.push(starts?.[first] ?? 0);
    return below;
  }

  #gather(frame: number, depth: number, sources: readonly number[], reshaping: Reshaping) {
    const { nodeFrames, starts, totals, base } = this.#tree;
    const groups = new Map<number, Group>();
    const taken = [...sources];
    const visit = (node: number) => {
      const own = nodeFrames[node] ?? 0;
      const isTaken = reshaping.hidden.has(own) || (reshaping.collapsesRecursion && own === frame);
      if (isTaken) {
        taken.push(node);
        return true;
      }
      const key = starts === null ? own : node;
      const group = groups.get(key);
      if (group) group.sources.push(node);
      else groups.set(key, { frame: own, depth: depth + 1, sources: [node] });
      return false;
    };
    for (const source of sources) this.#descend(source, visit);
    const below = [...groups.values()];
    if (starts === null) {
      const weight = ({ sources }: Group) =>
        sum(sources, (node) => Math.max(totals[node] ?? 0, base?.totals[node] ?? 0));
      below.sort((a, b) => weight(b) - weight(a));
    }
    return { taken, below };
  }

  /** Visits the children of a node in their order, and those of each for which `visit` says so. */
  #descend(source: number, visit: (node: number) => boolean): void {
    const open = [childrenOf(this.#tree, source)];
    for (let children = open.at(-1); children; children = open.at(-1)) {
      const { value: node } = children.next();
      if (typeof node !== "number") open.pop();
      else if (visit(node)) open.push(childrenOf(this.#tree, node));
    }
  }
}

function sum(nodes: readonly number[], valueOf: (node: number) => number | undefined): number {
  let total = 0;
  for (const node of nodes) total += valueOf(node) ?? 0;
  return total;
}
