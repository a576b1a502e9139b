import { message, t } from "../../core/language/translate.ts";
import { type Params, paramsOf } from "../../ui/links.ts";
import { HttpError } from "fresh";
import type { ValueType } from "../../formats/pprof/profile.ts";
import type { Sql } from "../../store/database.ts";
import type { FlameData } from "../../ui/flamegraph/flame_tree.ts";
import { parseScope, type Scope, scopeParams } from "../../ui/scope.ts";
import {
  hexDigits,
  type ProfilingParams,
  readProfilingParams,
  shaped,
  type Side,
  valueId,
} from "../params.ts";
import {
  nanosOf,
  type ProfilePart,
  profilePartParams,
  readProfilePart,
  stretchOf,
} from "../profile_part.ts";
import type { ProfileRow } from "../queries/profile_query.ts";
import { findProfile } from "../queries/stored_profiles.ts";
import { callTree } from "../trees/call_tree.ts";
import { flamePayload } from "../trees/flame_payload.ts";
import type { CallTree } from "../trees/stacks.ts";
import { clippedOrder, type TimeOrder, timeOrder } from "../trees/time_order.ts";
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

interface LoadedGraph {
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
  const type = paramsOf({ profile_type: value && valueId(value) });
  return [...scopeParams(scope), ...type, ...profilePartParams(asked)];
}

function graphOf(read: ReadPart, { shape }: ProfilingParams): LoadedGraph | null {
  const { type } = read;
  if (type === null) return null;
  const tree = callTree(stacksOf(read, [type]), type);
  return { type, treeOf: (side) => shaped(tree, shape, side) };
}

const NO_PROFILE = message(
  "Nothing is stored under this id of a profile. It may be older than what is kept, or may not have been sent yet.",
);

/**
 * What the index tells of the profile that a page is about.
 *
 * @param profileId as the address has it: hyphens and capitals allowed
 * @throws {HttpError} 404 when it is no id of a profile, or nothing is stored under it
 */
async function requireProfile(
  sql: Sql,
  projectId: string,
  profileId: string,
): Promise<ProfileRow> {
  const id = hexDigits(profileId, 32);
  if (id === null) {
    throw new HttpError(404, t("The id of a profile has 32 hexadecimal digits; this is none."));
  }
  const row = await findProfile(sql, projectId, id);
  if (row === null) throw new HttpError(404, t(NO_PROFILE));
  return row;
}

/** The samples of a part in the order of time; of a part with a time only that stretch, counted from where it begins. */
export function orderOfPart(
  { pieces, part }: Pick<ReadPart, "pieces" | "part">,
  type: ValueType,
): TimeOrder {
  const order = timeOrder(pieces.map(({ profile }) => profile), type);
  const stretch = stretchOf(part);
  if (stretch === null) return order;
  const zero = pieces[0]?.profile.timeNanos ?? 0n;
  const sinceZero = (ms: number) => Number(nanosOf(ms) - zero);
  return clippedOrder(order, sinceZero(stretch.from), sinceZero(stretch.until));
}

/** A flame graph in little. */
export interface EmbeddedProfile {
  readonly data: FlameData;
  /** Those in it. */
  readonly samples: number;
  /** Milliseconds between two samples, or null when nobody can tell. */
  readonly intervalMs: number | null;
}

/** What a narrow panel can show. */
const LIMITS = { maxNodes: 300, minShare: 1 / 300 };

/**
 * Reads a part of a profile for a panel of another page.
 *
 * @param query as the page of the profile has it
 * @throws {HttpError} 404 when there is no such profile, or its bytes are gone
 */
export async function loadEmbedded(
  stores: ProfileStores,
  projectId: string,
  profileId: string,
  query: URLSearchParams,
): Promise<EmbeddedProfile> {
  const { row, read, graph } = await loadProfile(stores, projectId, profileId, query);
  if (graph === null) throw new HttpError(404, t("The samples of this profile cannot be read."));
  return {
    data: flamePayload(graph.treeOf(null), { ...LIMITS, platform: row.platform }),
    samples: read.samples,
    intervalMs: read.intervalMs,
  };
}

/** The same for a page that goes on without it; null when there is no such profile any more. */
export async function findEmbedded(
  stores: ProfileStores,
  projectId: string,
  profileId: string,
  part: Partial<ProfilePart>,
): Promise<EmbeddedProfile | null> {
  const query = new URLSearchParams(profilePartParams(part).map((pair) => [...pair]));
  try {
    return await loadEmbedded(stores, projectId, profileId, query);
  } catch (error) {
    if (error instanceof HttpError) return null;
    throw error;
  }
}
