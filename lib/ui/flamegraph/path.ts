import {
  childrenOf,
  type FlameData,
  type FlameFrames,
  type FlameTree,
  flameTree,
  FrameColumns,
  isWithin,
  NodeColumns,
  treeOf,
} from "./flame_tree.ts";
import { fileOf, moduleOf } from "./frames.ts";

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

/**
 * A short name of a function in links: eight hex digits, FNV-1a over UTF-16 with a final mix. Those who call it keep in
 * mind that two functions may share one.
 */
export function frameHash(name: string, file: string): string {
  let hash = mixIn(0x811c9dc5, name);
  hash = mixIn(Math.imul(hash, 0x01000193), file);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash ^= hash >>> 13;
  return (hash >>> 0).toString(16).padStart(8, "0");
}

function mixIn(hash: number, text: string): number {
  for (let at = 0; at < text.length; at++) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  }
  return hash;
}

/**
 * Puts what was loaded for one node in the place of what is there of it.
 *
 * @param node the node whose children were not all there
 * @param path the way to it, by which the answer is searched when it begins at the root of everything
 * @param answer what is below the node: its root is the node itself, or the root of everything
 * @returns null when the answer does not hold the node
 */
export function spliced(
  tree: FlameTree,
  node: number,
  path: FlamePath,
  answer: FlameData,
): FlameTree | null {
  const loaded = flameTree(answer);
  const top = topOf(tree, node, path, loaded);
  if (top === null) return null;
  const frames = new FrameList(tree.frames);
  const places = loaded.frames.names.map((_, frame) => frames.place(loaded.frames, frame));
  const columns = new NodeColumns({ ...tree, starts: null });
  const add = (of: FlameTree, at: number, depth: number, frame: number) =>
    columns.add(of, { depth, frame, selfsOf: [at], totalsOf: [at] });
  const keep = (from: number, until: number) => {
    for (let at = from; at < until; at++) {
      add(tree, at, tree.depths[at] ?? 0, tree.nodeFrames[at] ?? 0);
    }
  };
  keep(0, node);
  const deeper = (tree.depths[node] ?? 0) - (loaded.depths[top] ?? 0);
  for (let at = top; at < (loaded.ends[top] ?? 0); at++) {
    // The answer's root may stand for the node without having its name.
    const frame = at === top ? tree.nodeFrames[node] : places[loaded.nodeFrames[at] ?? 0];
    add(loaded, at, (loaded.depths[at] ?? 0) + deeper, frame ?? 0);
  }
  keep(tree.ends[node] ?? 0, tree.size);
  const { originals: _, ...spliced } = columns;
  return treeOf({ type: tree.type, frames: frames.frames }, spliced);
}

/**
 * The way to the node for which more is to be loaded, because something below it is left out.
 *
 * @param source the tree as it came
 * @param shown the same tree as it is shown, with functions hidden or recursion folded
 * @param path the way, in the shown tree, to what is zoomed to; it may lead to what is not loaded yet
 * @returns null when all is there; the root has no more than it has
 */
export function lackingPath(
  source: FlameTree,
  shown: FlameTree,
  path: FlamePath,
): FlamePath | null {
  const node = shown.originals[follow(shown, path).node] ?? 0;
  if (node === 0 || source.starts !== null) return null;
  for (const parent of source.cut.keys()) {
    if (isWithin(source, parent, node)) return pathOf(source, node);
  }
  return null;
}

/** The node of the answer that stands for the asked one. */
function topOf(tree: FlameTree, node: number, path: FlamePath, loaded: FlameTree): number | null {
  if (loaded.size === 0) return null;
  const frame = tree.nodeFrames[node] ?? 0;
  const first = loaded.nodeFrames[0] ?? 0;
  const isItself = loaded.frames.names[first] === tree.frames.names[frame] &&
    fileOf(loaded.frames, first) === fileOf(tree.frames, frame);
  if (isItself || node === 0) return 0;
  const { node: found, isWhole } = follow(loaded, path);
  if (isWhole) return found;
  return loaded.totals[0] === tree.totals[node] ? 0 : null;
}

/** Functions, each once, to which those of another list are added. */
class FrameList {
  readonly #columns: FrameColumns;
  readonly #places = new Map<string, number>();

  constructor(frames: FlameFrames) {
    this.#columns = new FrameColumns(frames);
    for (const frame of frames.names.keys()) this.#places.set(keyOf(frames, frame), frame);
  }

  get frames(): FlameFrames {
    return this.#columns.columns;
  }

  /** The place here of a function of another list. */
  place(frames: FlameFrames, frame: number): number {
    const key = keyOf(frames, frame);
    const place = this.#places.get(key) ?? this.#columns.add({
      name: frames.names[frame] ?? "",
      file: fileOf(frames, frame),
      module: moduleOf(frames, frame),
      line: frames.lines[frame] ?? 0,
      isInApp: frames.isInApp[frame] ?? 2,
    });
    this.#places.set(key, place);
    return place;
  }
}

function keyOf(frames: FlameFrames, frame: number): string {
  return [frames.names[frame], fileOf(frames, frame), moduleOf(frames, frame)].join("\0");
}
