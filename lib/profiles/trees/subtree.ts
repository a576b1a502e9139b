import { frameHash } from "../../ui/flamegraph/frame_hash.ts";
import { frameRanks, weightsOf } from "./node_weights.ts";
import type { CallTree, Frame } from "./stack_profile.ts";
import { TreeDraft } from "./tree_draft.ts";

const SEGMENT = /^([0-9a-f]{8})(?:\.(\d{1,6}))?$/;

/**
 * What is below one node, which becomes the root: the first frame is its function. Without such a node: a tree of
 * nothing.
 *
 * @param path {@linkcode frameHash} of the function at each level below the root; `hash.1` for the second of those that
 * share one, in the order of their weight
 */
export function subtree<T extends CallTree>(tree: T, path: readonly string[]): T {
  if (path.length === 0) return tree;
  const { parents, nodeFrames, frames } = tree;
  const draft = new TreeDraft(tree);
  const top = follow(tree, path);
  if (top === null) return draft.finish();
  const isBelow = new Uint8Array(parents.length);
  const places = new Uint32Array(parents.length);
  isBelow[top] = 1;
  draft.addSelf(0, top);
  for (let node = top + 1; node < parents.length; node++) {
    const parent = parents[node] as number;
    if (isBelow[parent] === 0) continue;
    isBelow[node] = 1;
    places[node] = draft.child(places[parent] as number, nodeFrames[node] as number);
    draft.addSelf(places[node] as number, node);
  }
  return draft.finish(frames.with(0, frames[nodeFrames[top] as number] as Frame));
}

function follow(tree: CallTree, path: readonly string[]): number | null {
  const { parents, nodeFrames, frames } = tree;
  const hashes = frames.map(({ name, file }) => frameHash(name, file));
  const weights = weightsOf(tree);
  const ranks = frameRanks(frames);
  const rankOf = (node: number) => ranks[nodeFrames[node] as number] as number;
  let top = 0;
  for (const segment of path) {
    const [, hash, index = "0"] = SEGMENT.exec(segment) ?? [];
    const found: number[] = [];
    for (let node = top + 1; node < parents.length; node++) {
      if (parents[node] === top && hashes[nodeFrames[node] as number] === hash) found.push(node);
    }
    found.sort((a, b) => (weights[b] as number) - (weights[a] as number) || rankOf(a) - rankOf(b));
    const next = found[Number(index)];
    if (next === undefined) return null;
    top = next;
  }
  return top;
}
