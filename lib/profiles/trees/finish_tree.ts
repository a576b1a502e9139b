import type { Frame } from "./stack_profile.ts";
import { preorder } from "./tree_order.ts";

/** Nodes in the making: lists may be longer than there are nodes. */
export interface RoughTree {
  readonly count: number;
  readonly parents: Uint32Array;
  readonly nodeFrames: Uint32Array;
  /** The first stands for the root. */
  readonly frames: readonly Frame[];
  /** Values of each node itself, of one type or several. */
  readonly columns: readonly BigInt64Array[];
}

export interface FinishedTree {
  readonly parents: Uint32Array;
  readonly nodeFrames: Uint32Array;
  readonly frames: readonly Frame[];
  readonly columns: readonly BigInt64Array[];
}

/**
 * A tree without the nodes that have no value in any column nor below them, and without the frames that are then in no
 * stack; nodes in depth-first order, so that what is below one follows it.
 */
export function finishTree({ count, parents, nodeFrames, frames, columns }: RoughTree) {
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
  return finished satisfies FinishedTree as FinishedTree;
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
