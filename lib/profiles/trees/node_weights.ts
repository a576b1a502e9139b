import type { CallTree, Frame } from "./stack_profile.ts";
import { isDiffTree } from "./tree_draft.ts";

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
