import { depthsOf } from "../trees/flame_nodes.ts";
import type { CallTree } from "../trees/stack_profile.ts";
import { TREE_LIMITS } from "../trees/tree_limits.ts";

/** A tree makes a larger file than is written. */
export class ExportTooLarge extends RangeError {
  override readonly name = "ExportTooLarge";
}

/**
 * Frames of all stacks together, which are what formats write that have no trees.
 *
 * @param isWritten whether a node has a stack of its own
 * @throws {ExportTooLarge} when there are too many
 */
export function boundedStacks(
  { parents }: Pick<CallTree, "parents">,
  isWritten: (node: number) => boolean,
  maxFrames: number = TREE_LIMITS.exportedFrames,
): void {
  const depths = depthsOf(parents);
  let frames = 0;
  for (let node = 1; node < depths.length; node++) {
    if (isWritten(node)) frames += depths[node] as number;
  }
  if (frames > maxFrames) throw tooLarge(`${maxFrames.toLocaleString("en")} frames`);
}

/** @param most what a file has at most */
export function tooLarge(most: string): ExportTooLarge {
  return new ExportTooLarge(
    `All stacks together are too large for a file: it holds ${most}. Choose fewer profiles, or some functions`,
  );
}
