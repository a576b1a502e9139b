/** Profiles of a request, merged and compared. */
import type { ProjectAccess } from "../../accounts/authorize.ts";
import { callTree } from "../trees/call_tree.ts";
import { type DiffScale, diffTrees } from "../trees/diff_trees.ts";
import type { CallTree, DiffTree } from "../trees/stack_profile.ts";
import { chooseValue } from "../queries/choose_value.ts";
import { type Merged, mergeProfiles } from "../merge/merge.ts";
import type { ProfileQuery, ProfileSelection } from "../queries/profile_types.ts";
import type { ApiContext } from "../../api/api.ts";
import { ApiError } from "../../api/api_error.ts";
import { readInterval } from "../../api/issue_query.ts";
import { readProfileQuery, readWord } from "./read_query.ts";

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
