/** Other views of a tree, each of which takes a comparison as well as a tree of one value. */
import { t } from "../../core/language/translate.ts";
import { RE2JS, RE2JSSyntaxException } from "re2js";
import { InvalidInput } from "../../core/errors.ts";
import { packageOf } from "../../ui/flamegraph/frames.ts";
import { placedNodes, TreeDraft } from "./call_tree.ts";
import { type CallTree, type Frame, TREE_LIMITS } from "./stacks.ts";
import { FrameTable } from "./tables.ts";

/** Which stacks are looked at, and which functions of them. */
export interface StackFilter {
  /** Only stacks with such a function. */
  readonly focus?: FrameMatcher | undefined;
  /** No stacks with such a function. */
  readonly ignore?: FrameMatcher | undefined;
  /** Such functions are taken out of their stacks, what they called belongs to their callers. */
  readonly hide?: FrameMatcher | undefined;
}

/** What boxes of a graph can be. */
export const GROUPINGS = ["function", "file", "module", "package"] as const;
export type Grouping = (typeof GROUPINGS)[number];

/** How a tree is drawn. */
export interface Drawing {
  readonly by: Grouping;
  readonly isInverted: boolean;
}

/** Whether a view leaves stacks or functions out, puts them together or turns them round. */
export function isReshaped(
  view: Drawing & Readonly<Partial<Record<keyof StackFilter, unknown>>>,
): boolean {
  return Boolean(view.focus || view.ignore || view.hide) || view.isInverted ||
    view.by !== "function";
}

/** The tree as it is to be drawn. */
export function drawn<T extends CallTree>(tree: T, { by, isInverted }: Drawing): T {
  const grouped = aggregated(tree, by);
  return isInverted ? inverted(grouped) : grouped;
}

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
  // What is not below such a function goes nowhere.
  placedNodes(parents, (node, above) => {
    const frame = nodeFrames[node] as number;
    if (above === 0 && !isMatch[frame]) return 0;
    const place = callees.child(above, frame);
    callees.addSelf(place, node);
    if (above === 0) outermost.push(node);
    return place;
  });
  const ends = waysOut(tree, callers, Uint32Array.from(outermost));
  ends.forEach((end, way) => callers.addTotal(end, outermost[way] as number));
  return { callers: callers.finish(), callees: callees.finish() };
}

/** Some stacks only, or without some functions, as pprof does it; stacks of which nothing is left are left out. */
export function filtered<T extends CallTree>(tree: T, { focus, ignore, hide }: StackFilter): T {
  if (!focus && !ignore && !hide) return tree;
  const { parents, nodeFrames, frames } = tree;
  const matches = (match: FrameMatcher | undefined) =>
    frames.map((frame, place) => place > 0 && match !== undefined && match(frame));
  const isFocused = matches(focus);
  const isIgnored = matches(ignore);
  const isHidden = matches(hide);
  const draft = new TreeDraft(tree);
  const isIn = new Uint8Array(parents.length).fill(focus ? 0 : 1);
  const isOut = new Uint8Array(parents.length);
  placedNodes(parents, (node, above) => {
    const parent = parents[node] as number;
    const frame = nodeFrames[node] as number;
    if (isIn[parent] || isFocused[frame]) isIn[node] = 1;
    if (isOut[parent] || isIgnored[frame]) isOut[node] = 1;
    if (isOut[node]) return 0;
    const place = isHidden[frame] ? above : draft.child(above, frame);
    if (isIn[node] && place !== 0) draft.addSelf(place, node);
    return place;
  });
  return draft.finish();
}

/** Files, modules or packages in the place of functions; calls within one are one. */
export function aggregated<T extends CallTree>(tree: T, by: Grouping): T {
  if (by === "function") return tree;
  const table = new FrameTable();
  const groups = tree.frames.map((frame, place) => place === 0 ? 0 : table.add(groupOf(frame, by)));
  const draft = new TreeDraft(tree);
  const groupAt = new Uint32Array(tree.parents.length);
  draft.addSelf(0, 0);
  placedNodes(tree.parents, (node, above) => {
    const group = groups[tree.nodeFrames[node] as number] as number;
    const isSame = group === groupAt[tree.parents[node] as number];
    const place = isSame ? above : draft.child(above, group);
    groupAt[node] = group;
    draft.addSelf(place, node);
    return place;
  });
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

/** How large what comes out may be. */
interface WayLimits {
  /** Beyond so many nodes there is no further level. */
  readonly nodes: number;
  /** Frames of all stacks together; of more, all stacks lose the same levels. */
  readonly steps: number;
}

const LIMITS: WayLimits = { nodes: TREE_LIMITS.turnedNodes, steps: TREE_LIMITS.turnedSteps };

/**
 * Lays the stacks of nodes into a draft from their innermost frames outwards, beginning at its root. A million stacks
 * that end differently would become a million times their depth in nodes: of too many, the outermost callers are left
 * out, the same number of levels of each.
 *
 * @param from nodes of the tree, none of them the root
 * @returns where each ends in the draft
 */
export function waysOut<T extends CallTree>(
  { parents, nodeFrames }: T,
  draft: TreeDraft<T>,
  from: Uint32Array,
  limits: WayLimits = LIMITS,
): Uint32Array {
  const ends = new Uint32Array(from.length);
  const nodes = from.slice();
  let going = Uint32Array.from(from.keys());
  let steps = 0;
  // Level by level, so that it is the last ones that are left out.
  while (going.length > 0 && (steps === 0 || hasRoom(draft, steps + going.length, limits))) {
    steps += going.length;
    for (const way of going) {
      const node = nodes[way] as number;
      ends[way] = draft.child(ends[way] as number, nodeFrames[node] as number);
      nodes[way] = parents[node] as number;
    }
    going = going.filter((way) => nodes[way] !== 0);
  }
  return ends;
}

function hasRoom({ count }: { readonly count: number }, steps: number, limits: WayLimits): boolean {
  return count < limits.nodes && steps <= limits.steps;
}

/** Says of a function whether it is meant. */
export type FrameMatcher = (frame: Frame) => boolean;

const MAX_LENGTH = 1_000;
/** Instructions: repetitions make much of little text, and time grows with them. */
const MAX_PROGRAM = 1_000;
/** Of a name or a path; what follows is not looked at. */
const MAX_TEXT = 2_000;
/** Of one filter on all functions of a graph: an expression may take a millisecond a name, of 100,000 of them. */
const MAX_MATCHING_MS = 1_000;

/**
 * A filter of functions as a user wrote it: a regular expression that is found in the name, the source file or the
 * module. By RE2's rules, whose time grows with the text only, since anybody may write one.
 *
 * @param maxMs how long all its answers together may take
 * @returns or a sentence that says what is wrong with it; it throws {InvalidInput} when it has taken too long
 */
export function frameMatcher(text: string, maxMs = MAX_MATCHING_MS): FrameMatcher | string {
  if (text.length > MAX_LENGTH) {
    return t("The regular expression has {n} characters; {most} are allowed.", {
      n: text.length,
      most: MAX_LENGTH,
    });
  }
  try {
    const pattern = RE2JS.compile(text);
    if (pattern.programSize() > MAX_PROGRAM) {
      return t("The regular expression repeats too much.");
    }
    const isIn = (text: string) => text !== "" && pattern.test(text.slice(0, MAX_TEXT));
    let spentMs = 0;
    return ({ name, file, module }) => {
      const began = performance.now();
      const isMeant = isIn(name) || isIn(file) || isIn(module);
      spentMs += performance.now() - began;
      if (spentMs <= maxMs) return isMeant;
      throw new InvalidInput(
        "",
        t("The regular expression takes too long on so many functions: write a simpler one."),
      );
    };
  } catch (error) {
    if (!(error instanceof RE2JSSyntaxException)) throw error;
    return t("The regular expression cannot be read: {reason}.", {
      reason: error.message.replace(/^.*?: /, ""),
    });
  }
}
