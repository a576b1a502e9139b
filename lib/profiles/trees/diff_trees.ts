import { timesFiner } from "../../core/value_units.ts";
import { FrameTable, NodeTable } from "./tables.ts";
import { finishTree, placedNodes, sharedOut, treeOf } from "./call_tree.ts";
import { type CallTree, type DiffTree } from "./stacks.ts";

/**
 * `total`: the first tree is scaled so that both have the same total, and shares are what is compared; `none`: values
 * as they are.
 */
export type DiffScale = "total" | "none";

/**
 * Lays two trees of the same type over one another.
 *
 * @param base what is compared with; scaled in whole numbers, so that every subtree is at most one off its share. Not
 * scaled when one of the totals is 0 or negative.
 * @param other what is looked at
 * @throws {RangeError} when the units cannot be compared
 */
export function diffTrees(base: CallTree, other: CallTree, scale: DiffScale): DiffTree {
  const units = commonUnit(base.type.unit, other.type.unit);
  const frames = new FrameTable();
  const nodes = new NodeTable();
  const basePlaces = layInto(nodes, frames, base);
  const otherPlaces = layInto(nodes, frames, other);
  const { frames: nodeFrames, parents, count } = nodes;
  const finished = finishTree({
    count,
    parents,
    nodeFrames,
    frames: [other.frames[0] ?? frames.frames[0], ...frames.frames.slice(1)] as CallTree["frames"],
    columns: [
      columnOf(count, otherPlaces, other.selfs, units.otherTimes),
      columnOf(count, basePlaces, base.selfs, units.baseTimes),
    ],
  });
  const [selfs, baseSelfs] = finished.columns as [BigInt64Array, BigInt64Array];
  const type = { type: other.type.type, unit: units.unit };
  const like: DiffTree = {
    ...other,
    type,
    baseSelfs: other.selfs,
    baseTotals: other.totals,
  };
  const scaled = scale === "total" ? scaledTo(baseSelfs, sum(selfs)) : baseSelfs;
  return treeOf(like, finished.frames, finished, [selfs, scaled]);
}

function commonUnit(base: string, other: string) {
  const baseTimes = timesFiner(other, base);
  if (baseTimes !== null) return { unit: other, baseTimes, otherTimes: 1n };
  const otherTimes = timesFiner(base, other);
  if (otherTimes !== null) return { unit: base, baseTimes: 1n, otherTimes };
  throw new RangeError(`${base} and ${other} cannot be compared`);
}

/** Where each node of a tree is among the nodes of both. */
function layInto(nodes: NodeTable, frames: FrameTable, tree: CallTree): Uint32Array {
  const numbers = tree.frames.map((frame, place) => place === 0 ? 0 : frames.add(frame));
  return placedNodes(
    tree.parents,
    (node, above) => nodes.child(above, numbers[tree.nodeFrames[node] as number] as number),
  );
}

function columnOf(count: number, places: Uint32Array, selfs: BigInt64Array, times: bigint) {
  const column = new BigInt64Array(count);
  places.forEach((place, node) => {
    column[place] = (column[place] as bigint) + (selfs[node] as bigint) * times;
  });
  return column;
}

function scaledTo(values: BigInt64Array, total: bigint): BigInt64Array {
  const own = sum(values);
  return own > 0n && total > 0n ? sharedOut(values, total, own) : values;
}

function sum(values: BigInt64Array): bigint {
  let total = 0n;
  for (const value of values) total += value;
  return total;
}
