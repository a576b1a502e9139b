import type { ValueType } from "../../formats/pprof/profile.ts";
import type { CallTree } from "../trees/stack_profile.ts";
import type { ProfileRow } from "../queries/profile_types.ts";
import {
  type Params,
  type ProfilingParams,
  profilingParams,
  readProfilingParams,
} from "../params.ts";
import { parseScope, type Scope, scopeParams } from "../../ui/scope.ts";
import { shaped, type Side, treeOfType } from "../shape.ts";
import { requireProfile } from "./find_profile.ts";
import { profilePartParams, readProfilePart } from "../profile_part.ts";
import { type ProfileStores, type ReadPart, readPart, stacksOf } from "./read_part.ts";

/** A profile, or a part of it, as a page shows it. */
export interface LoadedProfile {
  readonly row: ProfileRow;
  /** Of the pages around, which links carry on. */
  readonly scope: Scope;
  readonly params: ProfilingParams;
  /** What is wrong with the address, by the name of the parameter. */
  readonly errors: Readonly<Record<string, string>>;
  readonly read: ReadPart;
  /** Null when the profile's bytes are gone or damaged. */
  readonly graph: LoadedGraph | null;
}

export interface LoadedGraph {
  readonly type: ValueType;
  /** The tree of `type` in the shape that the address asks for. */
  readonly treeOf: (side: Side) => CallTree;
}

/**
 * Reads the profile that an address names, and the part and the shape of it that its query asks for.
 *
 * @throws {HttpError} 404 when there is no such profile
 */
export async function loadProfile(
  stores: ProfileStores,
  projectId: string,
  profileId: string,
  query: URLSearchParams,
): Promise<LoadedProfile> {
  const row = await requireProfile(stores.sql, projectId, profileId);
  const params = readProfilingParams(query);
  const { part, errors } = readProfilePart(params, query);
  const read = await readPart(stores, projectId, row, part, params.value?.type ?? null);
  return {
    row,
    scope: parseScope(query),
    params,
    errors: { ...params.errors, ...errors },
    read,
    graph: graphOf(read, params),
  };
}

/**
 * Parameters that lead to the same part, type and scope again, without the shape.
 *
 * @param change what is to be different
 */
export function partParams(
  { params, read, scope }: Pick<LoadedProfile, "params" | "read" | "scope">,
  change: Partial<ReadPart["part"]> = {},
  value: ProfilingParams["value"] = params.value,
): Params {
  const asked = { ...read.part, threadId: params.threadId, ...change };
  const typeOnly = profilingParams({ ...params, value }).filter(([name]) =>
    name === "profile_type"
  );
  return [...scopeParams(scope), ...typeOnly, ...profilePartParams(asked)];
}

function graphOf(read: ReadPart, { shape }: ProfilingParams): LoadedGraph | null {
  const { type } = read;
  if (type === null) return null;
  const tree = treeOfType(stacksOf(read, [type]), type);
  return { type, treeOf: (side) => shaped(tree, shape, side) };
}
