import type { CallTree } from "./stack_profile.ts";
import type { TreeDraft } from "./tree_draft.ts";
import { TREE_LIMITS } from "./tree_limits.ts";

/** How large what comes out may be. */
export interface WayLimits {
  /** Beyond so many nodes there is no further level. */
  readonly nodes: number;
  /** Frames of all stacks together; of more, all stacks lose the same levels. */
  readonly steps: number;
}

const LIMITS: WayLimits = { nodes: TREE_LIMITS.turnedNodes, steps: TREE_LIMITS.turnedSteps };

/**
 * Lays the stacks of nodes into a draft from their innermost frames outwards, beginning at its root. A million stacks
 * that end differently would become a million times their depth in nodes: of too many, the outermost callers are left
 * out, the same number of levels of each.
 *
 * @param from nodes of the tree, none of them the root
 * @returns where each ends in the draft
 */
export function waysOut<T extends CallTree>(
  { parents, nodeFrames }: T,
  draft: TreeDraft<T>,
  from: Uint32Array,
  limits: WayLimits = LIMITS,
): Uint32Array {
  const ends = new Uint32Array(from.length);
  const nodes = from.slice();
  let going = Uint32Array.from(from.keys());
  let steps = 0;
  // Level by level, so that it is the last ones that are left out.
  while (going.length > 0 && (steps === 0 || hasRoom(draft, steps + going.length, limits))) {
    steps += going.length;
    for (const way of going) {
      const node = nodes[way] as number;
      ends[way] = draft.child(ends[way] as number, nodeFrames[node] as number);
      nodes[way] = parents[node] as number;
    }
    going = going.filter((way) => nodes[way] !== 0);
  }
  return ends;
}

function hasRoom({ count }: { readonly count: number }, steps: number, limits: WayLimits): boolean {
  return count < limits.nodes && steps <= limits.steps;
}
