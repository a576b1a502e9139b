import { type Params, paramsOf } from "../../ui/links.ts";
import { HttpError } from "fresh";
import type { ValueType } from "../../formats/pprof/profile.ts";
import type { Sql } from "../../store/database.ts";
import type { FlameData } from "../../ui/flamegraph/flame_tree.ts";
import { parseScope, type Scope, scopeParams } from "../../ui/scope.ts";
import {
  type ProfilingParams,
  readProfilingParams,
  shaped,
  type Side,
  treeOfType,
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
import { flamePayload } from "../trees/flame_payload.ts";
import type { CallTree } from "../trees/stacks.ts";
import { FrameTable } from "../trees/tables.ts";
import {
  byActivity,
  type OrderedThread,
  type TimedStack,
  type TimeOrder,
  timeOrder,
} from "../trees/time_order.ts";
import {
  type ProfilePiece,
  type ProfileStores,
  type ReadPart,
  readPart,
  stacksOf,
} from "./read_part.ts";

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
  const tree = treeOfType(stacksOf(read, [type]), type);
  return { type, treeOf: (side) => shaped(tree, shape, side) };
}

const NO_PROFILE = "Nothing is stored under this id of a profile. It may be older than what is " +
  "kept, or may not have been sent yet.";

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
  const id = profileId.replaceAll("-", "").toLowerCase();
  if (!/^[0-9a-f]{32}$/.test(id)) {
    throw new HttpError(404, "The id of a profile has 32 hexadecimal digits; this is none.");
  }
  const row = await findProfile(sql, projectId, id);
  if (row === null) throw new HttpError(404, NO_PROFILE);
  return row;
}

/**
 * Profiles that follow each other as one, thread by thread, in nanoseconds since the first began; of a part with a
 * time only that stretch, in nanoseconds since it begins.
 *
 * @param type see {@linkcode timeOrder}
 */
export function joinedOrder(
  pieces: readonly ProfilePiece[],
  type: ValueType,
  part: ProfilePart,
): TimeOrder {
  const orders = pieces.map(({ profile }) => timeOrder(profile, type));
  const table = new FrameTable();
  const stretch = stretchOf(part);
  const zero = stretch === null ? pieces[0]?.profile.timeNanos ?? 0n : nanosOf(stretch.from);
  const end = stretch === null ? Infinity : Number(nanosOf(stretch.until) - zero);
  const threads = new Map<string, { name: string; isActive: boolean; samples: TimedStack[] }>();
  for (const [place, { frames, threads: ofOne }] of orders.entries()) {
    const numbers = frames.map((frame, number) => number === 0 ? 0 : table.add(frame));
    const shift = Number((pieces[place]?.profile.timeNanos ?? 0n) - zero);
    for (const { id, name, isActive, samples } of ofOne) {
      const known = threads.get(id) ?? { name: "", isActive: false, samples: [] };
      threads.set(id, known);
      known.name ||= name;
      known.isActive ||= isActive;
      for (const sample of samples) {
        const moved = clipped(sample, shift, stretch === null ? -Infinity : 0, end);
        if (moved === null) continue;
        known.samples.push({ ...moved, stack: moved.stack.map((at) => numbers[at] ?? 0) });
      }
    }
  }
  return {
    type: orders[0]?.type ?? type,
    frames: table.frames,
    threads: [...threads].map(([id, facts]): OrderedThread => ({ id, ...facts }))
      .filter(({ samples }) => samples.length > 0)
      .sort(byActivity),
  };
}

/** What of a stack lies between two times, or null when nothing does. */
function clipped(
  { start, duration, stack }: TimedStack,
  shift: number,
  from: number,
  until: number,
): TimedStack | null {
  const begins = Math.max(from, start + shift);
  const ends = Math.min(until, start + shift + duration);
  return ends > begins ? { start: begins, duration: ends - begins, stack } : null;
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
  if (graph === null) throw new HttpError(404, "The samples of this profile cannot be read.");
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
