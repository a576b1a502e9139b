import { type DiffScale, diffTrees } from "../trees/diff_trees.ts";
import type { DiffTree } from "../trees/stack_profile.ts";
import type { ValueType } from "../../formats/pprof/profile.ts";
import { type Shape, shaped, type Side, treeOfType } from "../shape.ts";
import type { BothMerged } from "./load_compare.ts";

/**
 * Two merges laid over one another as a shape wants it. They are scaled before anything is left out, so that shares are
 * those of everything.
 *
 * @throws {RangeError} when their units cannot be compared
 */
export function comparedTree(
  { before, after }: BothMerged,
  type: ValueType,
  scale: DiffScale,
  shape: Shape,
  side: Side,
): DiffTree {
  const tree = diffTrees(
    treeOfType(before.stacks, type, before.average),
    treeOfType(after.stacks, type, after.average),
    scale,
  );
  return shaped(tree, shape, side);
}
