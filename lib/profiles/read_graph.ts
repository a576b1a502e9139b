/** Merged profiles for the routes that answer a graph's script and downloads. */
import type { Merged } from "./merge/merge.ts";
import type { ProfileSelection } from "./queries/profile_types.ts";
import { readProfiledServices } from "./queries/services.ts";
import { parseScope } from "../ui/scope.ts";
import { type MergeServices, sharedMerge } from "./load_selection.ts";
import { type ProfilingParams, readProfilingParams } from "./params.ts";
import { profileScope, profileSelection, steadyInterval } from "./selection.ts";
import type { Side } from "./shape.ts";
import { bestValue } from "./value_picker.tsx";

export interface GraphRequest {
  readonly params: ProfilingParams;
  readonly selection: ProfileSelection;
  /** Null: the whole graph. */
  readonly side: Side;
}

/**
 * Reads which graph an address asks for, as the page does that links to it.
 *
 * @returns or what is wrong, in a sentence
 */
export async function readGraphRequest(
  { sql }: Pick<MergeServices, "sql">,
  projectId: string,
  query: URLSearchParams,
): Promise<GraphRequest | string> {
  const params = readProfilingParams(query);
  const [wrong] = Object.entries(params.errors);
  if (wrong !== undefined) return `${wrong[0]}: ${wrong[1]}`;
  const side = query.get("side");
  if (side !== null && side !== "callers" && side !== "callees") {
    return "side: There are callers and callees.";
  }
  const scope = parseScope(query);
  const where = profileScope(projectId, scope, steadyInterval(scope, new Date()), params);
  const value = params.value ??
    bestValue(await readProfiledServices(sql, where));
  if (value === null) return "profile_type: There are no profiles here, so it has to be told.";
  return { params, selection: profileSelection(where, value, params), side };
}

export interface ReadGraph extends GraphRequest {
  readonly merged: Merged;
  /** As `go`; undefined when there are several. */
  readonly platform: string | undefined;
}

/** Merges what was asked for. @throws as {@linkcode sharedMerge} */
export async function readGraph(
  services: MergeServices,
  request: GraphRequest,
): Promise<ReadGraph> {
  const { selection } = request;
  const [merged, profiled] = await Promise.all([
    sharedMerge(services, selection),
    readProfiledServices(services.sql, selection),
  ]);
  const platforms = new Set(profiled.map(({ platform }) => platform));
  const [platform] = platforms;
  return { ...request, merged, platform: platforms.size === 1 ? platform || undefined : undefined };
}
