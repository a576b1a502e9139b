import type { ProjectAccess } from "../../accounts/authorize.ts";
import { readInterval } from "../../api/lists.ts";
import { type ApiContext, ApiError } from "../../api/route.ts";
import type { ValueType } from "../../formats/pprof/profile.ts";
import { readTypeId } from "../../formats/pprof/sample_types.ts";
import { PROFILE_KINDS, type ProfileKind } from "../../records/mod.ts";
import { readApiScope, readText } from "../../releases/request_scope.ts";
import { type Merged, mergeProfiles } from "../merge/merge.ts";
import { hexDigits } from "../params.ts";
import type { ProfileQuery, ProfileSelection } from "../queries/profile_query.ts";
import { chooseValue } from "../queries/profiled_services.ts";
import { callTree } from "../trees/call_tree.ts";
import { type DiffScale, diffTrees } from "../trees/diff_trees.ts";
import {
  type Drawing,
  type FrameMatcher,
  frameMatcher,
  GROUPINGS,
  type StackFilter,
} from "../trees/reshape.ts";
import type { CallTree, DiffTree } from "../trees/stacks.ts";

/** What a request is about, read from the stores. */
export interface MergedRequest {
  readonly selection: ProfileSelection;
  /** As `go`; `""` when there are no profiles. */
  readonly platform: string;
  readonly merged: Merged;
  /** What it is compared with, or null. */
  readonly base: Merged | null;
  readonly scale: DiffScale;
}

/** What is said when nothing was found, and the request does not tell what it looks for. */
const NOTHING = { kind: "cpu", type: { type: "cpu", unit: "nanoseconds" } } as const;

/**
 * Merges the profiles that a request asks for, and those of `compareStart` and `compareEnd`, `compareRelease` and
 * `compareEnvironment`, which stand in the place of the others when there are any.
 *
 * @throws {ApiError} 400 naming the parameter that is wrong
 * @throws {DOMException} AbortError when the client has gone
 */
export async function readMerged(
  ctx: ApiContext,
  access: ProjectAccess,
  { canCompare = true }: { canCompare?: boolean } = {},
): Promise<MergedRequest> {
  const { sql, objects } = ctx.state.services;
  const query = readProfileQuery(ctx, access);
  const compared = canCompare ? comparedQuery(ctx, query) : null;
  const scale = readWord(ctx.url.searchParams, "scale", ["total", "none"]);
  const chosen = await chooseValue(sql, query);
  const value = {
    kind: chosen?.kind ?? query.kind ?? NOTHING.kind,
    type: query.type ?? chosen?.type ?? NOTHING.type,
  };
  const { signal } = ctx.req;
  const selection = { ...query, ...value };
  const merged = await mergeProfiles({ sql, objects }, selection, signal);
  const base = compared === null
    ? null
    : await mergeProfiles({ sql, objects }, { ...compared, ...value }, signal);
  return { selection, platform: chosen?.platform ?? "", merged, base, scale };
}

/** The tree of a request; of two selections both in one. */
export function treeOf({ selection: { type }, merged, base, scale }: MergedRequest) {
  const tree: CallTree | DiffTree = callTree(merged.stacks, type, merged.average);
  return base === null ? tree : diffTrees(callTree(base.stacks, type, base.average), tree, scale);
}

/** What every answer says of what was merged. */
export function mergedJson({ selection: { kind, start, end }, merged, base }: MergedRequest) {
  return { kind, start, end, ...partJson(merged), base: base && partJson(base) };
}

function partJson({ nature, profiles, left, cut, differences, stacks }: Merged) {
  return { nature, profiles, left, cut, duration: Number(stacks.durationNanos) / 1e6, differences };
}

function comparedQuery(ctx: ApiContext, query: ProfileQuery): ProfileQuery | null {
  const { searchParams: search } = ctx.url;
  const { retentionDays } = ctx.state.services.config;
  const [start, end] = ["compareStart", "compareEnd"].map((name) => search.get(name) ?? "");
  const releases = search.getAll("compareRelease").filter((name) => name !== "");
  const environments = search.getAll("compareEnvironment").filter((name) => name !== "");
  if (!start && !end && releases.length + environments.length === 0) return null;
  const time = start || end ? comparedInterval({ start, end }, query, retentionDays) : {};
  return {
    ...query,
    ...time,
    ...releases.length > 0 && { releases },
    ...environments.length > 0 && { environments },
  };
}

/** @throws {ApiError} 400 naming the parameter of this request that is wrong */
function comparedInterval(
  { start = "", end = "" }: { start: string | undefined; end: string | undefined },
  query: ProfileQuery,
  retentionDays: number,
): Pick<ProfileQuery, "start" | "end"> {
  const asked = new URLSearchParams({
    start: start || query.start.toISOString(),
    end: end || query.end.toISOString(),
  });
  try {
    return readInterval(asked, retentionDays);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const detail = String(error.body.detail).replace(
      /\b(start|end)\b/g,
      (name) => name === "start" ? "compareStart" : "compareEnd",
    );
    throw ApiError.detail(400, detail);
  }
}

const MAX_VALUES = 50;
const EXAMPLE = "memory:inuse_space:bytes";

/**
 * Reads which profiles of a project a request is about: environment, release, service and time as for traces, `kind`,
 * `type` (as `cpu:nanoseconds`, or with the kind before it), `transaction`, `label` (`key=value`), `profile`,
 * `profiler`, `thread`, `trace`, `span` and `clip`.
 *
 * @throws {ApiError} 400 naming the parameter that is wrong
 */
export function readProfileQuery(ctx: ApiContext, access: ProjectAccess): ProfileQuery {
  const { project, scope, interval } = readApiScope(ctx, access);
  const { searchParams: search } = ctx.url;
  const profileIds = listOf(search, "profile").map((id) => hexOf("profile", id, 32));
  return {
    projectId: project.id,
    environments: scope.environments,
    releases: scope.releases,
    services: scope.services,
    ...interval,
    ...readValue(search),
    transaction: readText(search, "transaction") || undefined,
    labels: listOf(search, "label").map(readLabel),
    profileIds: profileIds.length === 0 ? undefined : profileIds,
    profilerId: readHex(search, "profiler", 32),
    threadId: readText(search, "thread") || undefined,
    traceId: readHex(search, "trace", 32),
    spanId: readHex(search, "span", 16),
    clip: readFlag(search, "clip"),
  };
}

/** `1`, `true`, `0`, `false` or nothing. @throws {ApiError} 400 for anything else */
function readFlag(search: URLSearchParams, name: string): boolean {
  const text = search.get(name) ?? "";
  if (["1", "true"].includes(text)) return true;
  if (["", "0", "false"].includes(text)) return false;
  throw ApiError.detail(400, `Invalid ${name}: write 1 or 0`);
}

/** One of some words, the first when nothing is said. @throws {ApiError} 400 for anything else */
export function readWord<Word extends string>(
  search: URLSearchParams,
  name: string,
  words: readonly [Word, ...Word[]],
): Word {
  const text = search.get(name) || words[0];
  const word = words.find((each) => each === text);
  if (word !== undefined) return word;
  throw ApiError.detail(400, `Invalid ${name}: write ${words.join(", ")}`);
}

function readValue(search: URLSearchParams): { kind?: ProfileKind; type?: ValueType } {
  const text = search.get("type") ?? "";
  const colon = text.indexOf(":");
  const hasKind = text.split(":").length === 3;
  const kind = readKind(search.get("kind") || (hasKind ? text.slice(0, colon) : ""));
  const type = text === "" ? null : readTypeId(hasKind ? text.slice(colon + 1) : text);
  if (text !== "" && type === null) {
    throw ApiError.detail(400, `Invalid type: write cpu:nanoseconds, or ${EXAMPLE}`);
  }
  return { ...kind && { kind }, ...type && { type } };
}

function readKind(text: string): ProfileKind | null {
  if (text === "") return null;
  const kind = PROFILE_KINDS.find((each) => each === text);
  if (kind !== undefined) return kind;
  throw ApiError.detail(400, `Invalid kind: write ${PROFILE_KINDS.join(", ")}`);
}

function listOf(search: URLSearchParams, name: string): string[] {
  const values = search.getAll(name).filter((value) => value !== "");
  if (values.length <= MAX_VALUES) return values;
  throw ApiError.detail(400, `Too many values of ${name}: write at most ${MAX_VALUES}`);
}

function readLabel(text: string): readonly [string, string] {
  const sign = text.indexOf("=");
  if (sign > 0) return [text.slice(0, sign), text.slice(sign + 1)];
  throw ApiError.detail(400, "Invalid label: write key=value");
}

function readHex(search: URLSearchParams, name: string, digits: number): string | undefined {
  const text = search.get(name);
  return text ? hexOf(name, text, digits) : undefined;
}

function hexOf(name: string, text: string, digits: number): string {
  const id = hexDigits(text, digits);
  if (id !== null) return id;
  throw ApiError.detail(400, `Invalid ${name}: write ${digits} hexadecimal digits`);
}

/** How a merged tree is looked at. */
export interface TreeView extends StackFilter, Drawing {
  /** Functions that are looked for. */
  readonly query: FrameMatcher | undefined;
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
    by: readWord(search, "by", GROUPINGS),
  };
}

function readMatcher(search: URLSearchParams, name: string): FrameMatcher | undefined {
  const text = search.get(name);
  if (!text) return undefined;
  const matcher = frameMatcher(text);
  if (typeof matcher !== "string") return matcher;
  throw ApiError.detail(400, `Invalid ${name}: ${matcher}`);
}
