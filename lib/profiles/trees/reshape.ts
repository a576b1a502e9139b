/** Other views of a tree, each of which takes a comparison as well as a tree of one value. */
import type { FrameMatcher } from "./frame_matcher.ts";
import { FrameTable } from "./frame_table.ts";
import { packageOf } from "../../ui/flamegraph/package_of.ts";
import type { CallTree, Frame } from "./stack_profile.ts";
import { TreeDraft } from "./tree_draft.ts";
import { waysOut } from "./ways_out.ts";

/** Which stacks are looked at, and which functions of them. */
export interface StackFilter {
  /** Only stacks with such a function. */
  readonly focus?: FrameMatcher | undefined;
  /** No stacks with such a function. */
  readonly ignore?: FrameMatcher | undefined;
  /** Such functions are taken out of their stacks, what they called belongs to their callers. */
  readonly hide?: FrameMatcher | undefined;
}

export type Grouping = "function" | "file" | "module" | "package";

/**
 * From the innermost functions outwards: under the root stands what has values itself, below each its callers; of a very
 * large tree the nearest of them.
 */
export function inverted<T extends CallTree>(tree: T): T {
  const draft = new TreeDraft(tree);
  const withSelf = Uint32Array.from(tree.parents.keys())
    .filter((node) => node > 0 && draft.hasSelf(node));
  draft.addSelf(0, 0);
  const ends = waysOut(tree, draft, withSelf);
  ends.forEach((end, way) => draft.addSelf(end, withSelf[way] as number));
  return draft.finish();
}

/**
 * Who calls a function and what it calls: both trees begin with it below their root, and have its total. Where it calls
 * itself the outermost call counts, so that nothing counts twice.
 *
 * @param match may be true of several functions, which then stand side by side
 */
export function sandwich<T extends CallTree>(
  tree: T,
  match: FrameMatcher,
): { callers: T; callees: T } {
  const { parents, nodeFrames } = tree;
  const isMatch = tree.frames.map((frame, place) => place > 0 && match(frame));
  const callers = new TreeDraft(tree);
  const callees = new TreeDraft(tree);
  const outermost: number[] = [];
  /** Where each node is in the tree of callees; 0 for what is not below such a function. */
  const places = new Uint32Array(parents.length);
  for (let node = 1; node < parents.length; node++) {
    const frame = nodeFrames[node] as number;
    const above = places[parents[node] as number] as number;
    if (above === 0 && !isMatch[frame]) continue;
    const place = callees.child(above, frame);
    places[node] = place;
    callees.addSelf(place, node);
    if (above === 0) outermost.push(node);
  }
  const ends = waysOut(tree, callers, Uint32Array.from(outermost));
  ends.forEach((end, way) => callers.addTotal(end, outermost[way] as number));
  return { callers: callers.finish(), callees: callees.finish() };
}

/** Some stacks only, or without some functions, as pprof does it; stacks of which nothing is left are left out. */
export function filtered<T extends CallTree>(tree: T, { focus, ignore, hide }: StackFilter): T {
  const { parents, nodeFrames, frames } = tree;
  const matches = (match: FrameMatcher | undefined) =>
    frames.map((frame, place) => place > 0 && match !== undefined && match(frame));
  const isFocused = matches(focus);
  const isIgnored = matches(ignore);
  const isHidden = matches(hide);
  const draft = new TreeDraft(tree);
  const places = new Uint32Array(parents.length);
  const isIn = new Uint8Array(parents.length).fill(focus ? 0 : 1);
  const isOut = new Uint8Array(parents.length);
  for (let node = 1; node < parents.length; node++) {
    const parent = parents[node] as number;
    const frame = nodeFrames[node] as number;
    const above = places[parent] as number;
    if (isIn[parent] || isFocused[frame]) isIn[node] = 1;
    if (isOut[parent] || isIgnored[frame]) isOut[node] = 1;
    if (isOut[node]) continue;
    const place = isHidden[frame] ? above : draft.child(above, frame);
    places[node] = place;
    if (isIn[node] && place !== 0) draft.addSelf(place, node);
  }
  return draft.finish();
}

/** Files, modules or packages in the place of functions; calls within one are one. */
export function aggregated<T extends CallTree>(tree: T, by: Grouping): T {
  if (by === "function") return tree;
  const table = new FrameTable();
  const groups = tree.frames.map((frame, place) => place === 0 ? 0 : table.add(groupOf(frame, by)));
  const draft = new TreeDraft(tree);
  const places = new Uint32Array(tree.parents.length);
  const groupAt = new Uint32Array(tree.parents.length);
  draft.addSelf(0, 0);
  for (let node = 1; node < places.length; node++) {
    const parent = tree.parents[node] as number;
    const above = places[parent] as number;
    const group = groups[tree.nodeFrames[node] as number] as number;
    const place = group === groupAt[parent] ? above : draft.child(above, group);
    groupAt[node] = group;
    places[node] = place;
    draft.addSelf(place, node);
  }
  return draft.finish(table.frames);
}

function groupOf(frame: Frame, by: Exclude<Grouping, "function">): Frame {
  const { isInApp } = frame;
  const bare = { file: "", module: "", line: 0, isInApp };
  switch (by) {
    case "file":
      return { ...bare, name: frame.file || "<no file>", file: frame.file };
    case "module":
      return { ...bare, name: frame.module || "<no module>", module: frame.module };
    case "package":
      return { ...bare, name: packageOf(frame) || "<no package>" };
  }
}
