import type { ValueType } from "../../formats/pprof/profile.ts";
import { finishTree } from "./finish_tree.ts";
import { sharedOut } from "./shared_out.ts";
import type { CallTree, StackProfile } from "./stack_profile.ts";
import { totalsOf } from "./tree_order.ts";
import { findType } from "./value_units.ts";

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
