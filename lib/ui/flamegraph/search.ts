import type { FlameFrames } from "./flame_data.ts";
import type { FlameTree } from "./flame_tree.ts";

/** As many characters of a search as anybody types. */
const MAX_TEXT = 300;

/** What a search means: a test of texts, nothing, or what is wrong with it. */
export type Search =
  | { readonly kind: "none" }
  | { readonly kind: "invalid"; readonly message: string }
  | { readonly kind: "test"; readonly test: (text: string) => boolean };

/** What a search finds in a tree. */
export interface Found {
  /** Of each function of the tree whether it is found. */
  readonly frames: Uint8Array;
  /** Nodes of these functions, in depth-first order. */
  readonly nodes: readonly number[];
}

/**
 * Reads a search: a part of a function's name or file in any case, or `/a regular expression/`. Regular expressions
 * run in the browser of whoever typed them, never on the server.
 */
export function readSearch(text: string): Search {
  const wanted = text.trim().slice(0, MAX_TEXT);
  if (wanted === "") return { kind: "none" };
  const expression = /^\/(.+)\/$/s.exec(wanted)?.[1];
  if (expression === undefined) {
    const lower = wanted.toLowerCase();
    return { kind: "test", test: (name) => name.toLowerCase().includes(lower) };
  }
  try {
    const compiled = new RegExp(expression, "iu");
    return { kind: "test", test: (name) => compiled.test(name) };
  } catch {
    return { kind: "invalid", message: "not a regular expression" };
  }
}

/** Finds functions by name, file or module. Null for no search, or one that cannot be read. */
export function find(tree: FlameTree, search: Search): Found | null {
  if (search.kind !== "test") return null;
  const frames = foundFrames(tree.frames, search.test);
  const nodes: number[] = [];
  for (const [node, frame] of tree.nodeFrames.entries()) {
    if (node > 0 && frames[frame] === 1) nodes.push(node);
  }
  return { frames, nodes };
}

/** What is spent in found functions below a node, with what they call; a find within a find counts once. */
export function foundTotal(tree: FlameTree, { frames }: Found, top: number): number {
  const end = tree.ends[top] ?? 0;
  let total = 0;
  for (let node = top; node < end;) {
    const isFound = node > 0 && frames[tree.nodeFrames[node] ?? 0] === 1;
    if (isFound) total += tree.totals[node] ?? 0;
    node = isFound ? tree.ends[node] ?? end : node + 1;
  }
  return total;
}

/** The found node after or before another; round the end to the other one. Null when there is none. */
export function nextFound(
  { nodes }: Found,
  from: number,
  step: 1 | -1,
  isOffered: (node: number) => boolean = () => true,
): number | null {
  const offered = nodes.filter(isOffered);
  const next = step === 1
    ? offered.find((node) => node > from) ?? offered[0]
    : offered.findLast((node) => node < from) ?? offered.at(-1);
  return next ?? null;
}

function foundFrames(frames: FlameFrames, test: (text: string) => boolean): Uint8Array {
  const files = frames.files.map(test);
  const modules = frames.modules.map(test);
  return Uint8Array.from(frames.names, (name, frame) => {
    const isFound = test(name) || files[frames.fileOf[frame] ?? 0] ||
      modules[frames.moduleOf[frame] ?? 0];
    return frame > 0 && isFound ? 1 : 0;
  });
}
