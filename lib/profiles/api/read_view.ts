/** How a merged tree is looked at. */
import { type FrameMatcher, frameMatcher } from "../trees/frame_matcher.ts";
import { aggregated, filtered, type Grouping, inverted } from "../trees/reshape.ts";
import type { CallTree } from "../trees/stack_profile.ts";
import { ApiError } from "../../api/api_error.ts";
import { readFlag, readWord } from "./read_query.ts";

export interface TreeView {
  readonly focus: FrameMatcher | undefined;
  readonly ignore: FrameMatcher | undefined;
  readonly hide: FrameMatcher | undefined;
  /** Functions that are looked for. */
  readonly query: FrameMatcher | undefined;
  readonly isInverted: boolean;
  readonly by: Grouping;
}

/**
 * Reads `focus`, `ignore`, `hide` and `query`, which are regular expressions by RE2's rules, `invert` and `by`.
 *
 * @throws {ApiError} 400 naming the parameter that is wrong
 */
export function readView(search: URLSearchParams): TreeView {
  return {
    focus: readMatcher(search, "focus"),
    ignore: readMatcher(search, "ignore"),
    hide: readMatcher(search, "hide"),
    query: readMatcher(search, "query"),
    isInverted: readFlag(search, "invert"),
    by: readWord(search, "by", ["function", "file", "module", "package"]),
  };
}

/** Whether a view shows less, or something else, than all functions as they called one another. */
export function isChanged(view: TreeView): boolean {
  const { focus, ignore, hide, isInverted, by } = view;
  return Boolean(focus || ignore || hide) || isInverted || by !== "function";
}

/** The stacks that a view wants; the order of functions stays. */
export function filteredBy<T extends CallTree>(tree: T, { focus, ignore, hide }: TreeView): T {
  return focus || ignore || hide ? filtered(tree, { focus, ignore, hide }) : tree;
}

/** The tree as a view wants it drawn. */
export function shapedBy<T extends CallTree>(tree: T, { by, isInverted }: TreeView): T {
  const grouped = aggregated(tree, by);
  return isInverted ? inverted(grouped) : grouped;
}

function readMatcher(search: URLSearchParams, name: string): FrameMatcher | undefined {
  const text = search.get(name);
  if (!text) return undefined;
  const matcher = frameMatcher(text);
  if (typeof matcher !== "string") return matcher;
  throw ApiError.detail(400, `Invalid ${name}: ${matcher}`);
}
