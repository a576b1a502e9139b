/** How a graph is looked at: which stacks, which way round, by what. */
import { callTree } from "./trees/call_tree.ts";
import { type FrameMatcher, frameMatcher } from "./trees/frame_matcher.ts";
import { aggregated, filtered, type Grouping, inverted, sandwich } from "./trees/reshape.ts";
import type { CallTree, StackProfile } from "./trees/stack_profile.ts";
import { findType } from "./trees/value_units.ts";
import type { ValueType } from "../formats/pprof/profile.ts";

export const GROUPINGS = ["function", "file", "module", "package"] as const satisfies Grouping[];

/** Texts as they stand in the address; `""` for none. */
export interface Shape {
  /** Regular expressions of functions. */
  readonly focus: string;
  readonly ignore: string;
  readonly isInverted: boolean;
  readonly by: Grouping;
  /** Name of the function whose callers and callees are shown. */
  readonly function: string;
}

/** Which half of a function's graph; null: the graph as a whole. */
export type Side = "callers" | "callees" | null;

export const PLAIN: Shape = {
  focus: "",
  ignore: "",
  isInverted: false,
  by: "function",
  function: "",
};

const MAX_FUNCTION = 2_000;

/**
 * Reads the shape of a graph out of a query.
 *
 * @returns with it what is wrong, in a sentence, by the name of the parameter; what is wrong is left out of the shape
 */
export function readShape(
  query: URLSearchParams,
): { readonly shape: Shape; readonly errors: Readonly<Record<string, string>> } {
  const errors: Record<string, string> = {};
  const expression = (name: "focus" | "ignore") => {
    const text = query.get(name) ?? "";
    const matcher = text === "" ? null : frameMatcher(text);
    if (typeof matcher !== "string") return text;
    errors[name] = matcher;
    return "";
  };
  const by = query.get("by") || "function";
  const grouping = GROUPINGS.find((each) => each === by);
  if (grouping === undefined) {
    errors.by = `Graphs can be drawn by ${GROUPINGS.join(", ")}; not by “${by.slice(0, 40)}”.`;
  }
  const shape: Shape = {
    focus: expression("focus"),
    ignore: expression("ignore"),
    isInverted: query.get("invert") === "1",
    by: grouping ?? "function",
    function: (query.get("function") ?? "").slice(0, MAX_FUNCTION),
  };
  return { shape, errors };
}

/** The parameters of a shape, without what is default. */
export function shapeParams(shape: Shape): [name: string, value: string][] {
  const params: [string, string][] = [
    ["focus", shape.focus],
    ["ignore", shape.ignore],
    ["invert", shape.isInverted ? "1" : ""],
    ["by", shape.by === "function" ? "" : shape.by],
    ["function", shape.function],
  ];
  return params.filter(([, value]) => value !== "");
}

/** Whether stacks or functions are left out of it, or put together. */
export function isReshaped({ focus, ignore, isInverted, by }: Shape): boolean {
  return focus !== "" || ignore !== "" || isInverted || by !== "function";
}

/**
 * The values of one type as a tree; empty when the stacks have no such type.
 *
 * @param divideBy see {@linkcode callTree}
 */
export function treeOfType(stacks: StackProfile, type: ValueType, divideBy = 1n): CallTree {
  if (findType(stacks.types, type) >= 0) return callTree(stacks, type, divideBy);
  return {
    type,
    frames: stacks.frames.slice(0, 1),
    parents: new Uint32Array(1),
    nodeFrames: new Uint32Array(1),
    selfs: new BigInt64Array(1),
    totals: new BigInt64Array(1),
  };
}

/** A tree, or a comparison, as a shape wants it; of `side` only that half of the function's graph. */
export function shaped<T extends CallTree>(tree: T, shape: Shape, side: Side = null): T {
  const chosen = shape.focus === "" && shape.ignore === "" ? tree : filtered(tree, {
    focus: matcherOf(shape.focus),
    ignore: matcherOf(shape.ignore),
  });
  const half = side === null
    ? chosen
    : sandwich(chosen, ({ name }) => name === shape.function)[side];
  const grouped = aggregated(half, shape.by);
  return shape.isInverted && side === null ? inverted(grouped) : grouped;
}

/** Expressions of a shape were checked when it was read. */
function matcherOf(text: string): FrameMatcher | undefined {
  const matcher = text === "" ? undefined : frameMatcher(text);
  return typeof matcher === "function" ? matcher : undefined;
}
