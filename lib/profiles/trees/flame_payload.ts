import type { FlameData } from "../../ui/flamegraph/flame_data.ts";
import { flameData, type FlameLimits, heaviest } from "./flame_nodes.ts";
import { frameRanks, weightsOf } from "./node_weights.ts";
import type { CallTree, DiffTree } from "./stack_profile.ts";
import { subtree } from "./subtree.ts";
import { isDiffTree } from "./tree_draft.ts";

/** Of a comparison, whose nodes have twice as many values. */
const MAX_DIFF_NODES = 8_000;

/** What of a tree is sent, and how much. */
export interface PayloadOptions extends FlameLimits {
  /** To the node that is the root of what is sent, as {@linkcode subtree} takes it. */
  readonly path?: readonly string[] | undefined;
  /** As `go`; tells own code where profiles do not. */
  readonly platform?: string | undefined;
}

/**
 * A tree as the browser gets it. What is too small to be seen is left out, and totals stay what they are. Siblings are
 * in the order of their total, in a comparison of the total of both sides.
 */
export function flamePayload(
  tree: CallTree | DiffTree,
  { path = [], platform, ...limits }: PayloadOptions = {},
): FlameData {
  const top = subtree(tree, path);
  const maxNodes = limits.maxNodes ?? (isDiffTree(top) ? MAX_DIFF_NODES : undefined);
  const order = leftHeavy(top, { ...limits, maxNodes });
  const data = flameData(top, order, platform);
  if (!isDiffTree(top)) return data;
  return {
    ...data,
    base: {
      selfs: order.map((node) => Number(top.baseSelfs[node])),
      totals: order.map((node) => Number(top.baseTotals[node])),
    },
  };
}

/** The nodes worth sending, depth first, the heaviest of siblings before the others. */
function leftHeavy(tree: CallTree, limits: FlameLimits): number[] {
  const { parents, nodeFrames, frames } = tree;
  const ranks = frameRanks(frames);
  const rankOf = (node: number) => ranks[nodeFrames[node] as number] as number;
  const nodes = heaviest({ parents, weights: weightsOf(tree), rankOf }, limits);
  const children = new Map<number, number[]>();
  // Heaviest last, so that it is taken off the list first.
  for (const node of nodes.slice(1).reverse()) {
    const parent = parents[node] as number;
    const siblings = children.get(parent);
    if (siblings) siblings.push(node);
    else children.set(parent, [node]);
  }
  const order: number[] = [];
  const waiting = [0];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    order.push(node);
    for (const child of children.get(node) ?? []) waiting.push(child);
  }
  return order;
}
