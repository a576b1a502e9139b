import type { FlameFrames } from "./flame_data.ts";
import { frameHash } from "./frame_hash.ts";
import { childrenOf, type FlameTree } from "./flame_tree.ts";
import { fileOf } from "./frames.ts";

/**
 * The way from the root down to a node, root left out: the hash of each function. Among siblings of the same hash (in
 * order of time a function is called again and again; functions of several modules may share one) the second is `hash.1`, the third `hash.2`.
 */
export type FlamePath = readonly string[];

const SEGMENT = /^([0-9a-f]{8})(?:\.(\d{1,6}))?$/;
/** Stacks are no deeper than this. */
const MAX_DEPTH = 4_096;

/** The way to a node. */
export function pathOf(tree: FlameTree, node: number): FlamePath {
  const path: string[] = [];
  for (let at = node; at > 0; at = tree.parents[at] ?? 0) {
    const hash = hashOf(tree, at);
    let before = 0;
    for (const sibling of childrenOf(tree, tree.parents[at] ?? 0)) {
      if (sibling === at) break;
      if (hashOf(tree, sibling) === hash) before++;
    }
    path.push(before === 0 ? hash : `${hash}.${before}`);
  }
  return path.reverse();
}

/**
 * Follows a path as far as it goes.
 *
 * @returns the last node that is there, and whether the path ends at it
 */
export function follow(
  tree: FlameTree,
  path: FlamePath,
): { readonly node: number; readonly isWhole: boolean } {
  let node = 0;
  for (const segment of path) {
    const next = step(tree, node, segment);
    if (next === null) return { node, isWhole: false };
    node = next;
  }
  return { node, isWhole: true };
}

/** Reads a path out of an address; what is no path is the root. */
export function readPath(text: string | null): FlamePath {
  const path = text === null || text === "" ? [] : text.split(",", MAX_DEPTH);
  return path.every((segment) => SEGMENT.test(segment)) ? path : [];
}

function step(tree: FlameTree, node: number, segment: string): number | null {
  const [, hash = "", place = "0"] = SEGMENT.exec(segment) ?? [];
  let left = Number(place);
  for (const child of childrenOf(tree, node)) {
    if (hashOf(tree, child) === hash && left-- === 0) return child;
  }
  return null;
}

/** Hashes of functions by their place, for each list of functions. */
const hashes = new WeakMap<object, (string | undefined)[]>();

/** Hash of a function, by its place among those of a tree. */
export function hashOfFrame(frames: FlameFrames, frame: number): string {
  let known = hashes.get(frames);
  if (known === undefined) hashes.set(frames, known = []);
  return known[frame] ??= frameHash(frames.names[frame] ?? "", fileOf(frames, frame));
}

function hashOf({ frames, nodeFrames }: FlameTree, node: number): string {
  return hashOfFrame(frames, nodeFrames[node] ?? 0);
}
