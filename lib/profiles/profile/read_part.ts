import type { ObjectStore } from "../../store/objects/store.ts";
import type { PprofProfile, ValueType } from "../../formats/pprof/profile.ts";
import { defaultTypeOf, valueTypesOf } from "../../formats/pprof/sample_types.ts";
import { type SampleFilter, sampleMatcher } from "../trees/sample_filter.ts";
import { StackBuilder } from "../trees/stack_builder.ts";
import type { StackProfile } from "../trees/stack_profile.ts";
import { findType } from "../trees/value_units.ts";
import type { Sql } from "../../store/database.ts";
import { readPprof } from "../queries/bytes.ts";
import type { ProfileRow } from "../queries/profile_types.ts";
import { servingThreads } from "../merge/served_threads.ts";
import { rowsOfPart } from "./chunks.ts";
import { ALL_THREADS, type ProfilePart, sampleFilterOf } from "../profile_part.ts";
import { isTimed, samplingIntervalMs } from "./sampling.ts";
import { type ProfiledThread, threadsOf, withServing } from "./threads.ts";

export interface ProfileStores {
  readonly sql: Sql;
  readonly objects: Pick<ObjectStore, "get">;
}

/** A stored profile, and which of its samples are looked at. */
export interface ProfilePiece {
  readonly row: ProfileRow;
  readonly profile: PprofProfile;
  readonly where: SampleFilter;
}

/** A part of a profile, read. */
export interface ReadPart {
  readonly row: ProfileRow;
  /** As asked for, with a thread chosen where none was. */
  readonly part: ProfilePart;
  /** By their time; several when chunks are joined. */
  readonly pieces: readonly ProfilePiece[];
  /** Chunks that are gone, damaged, or too many to be read. */
  readonly missing: number;
  /** At least one when there is a piece. */
  readonly types: readonly ValueType[];
  /** Null when there is no piece. */
  readonly type: ValueType | null;
  readonly threads: readonly ProfiledThread[];
  /** Samples tell when they were taken. */
  readonly isTimed: boolean;
  /** Those of the part. */
  readonly samples: number;
  /** Milliseconds between two samples, or null when nobody can tell. */
  readonly intervalMs: number | null;
}

/**
 * Reads a profile, or the chunks of its profiler within the time of a part.
 *
 * @param wanted the type to show; null or one that the profile has not: the one that it prefers
 */
export async function readPart(
  { sql, objects }: ProfileStores,
  projectId: string,
  row: ProfileRow,
  asked: ProfilePart,
  wanted: ValueType | null = null,
): Promise<ReadPart> {
  const { rows, left } = await rowsOfPart(sql, projectId, row, asked);
  const stored = (await Promise.all(rows.map(async (each) => {
    const profile = await readPprof(objects, each);
    return profile === null ? [] : [{ row: each, profile }];
  }))).flat();
  const threads = await servedFirst(
    sql,
    projectId,
    row,
    threadsOf(stored.map(({ profile }) => profile)),
  );
  const part = withThread(asked, threads);
  const pieces = stored.map((piece): ProfilePiece => ({
    ...piece,
    where: filterFor(piece.row, part),
  }));
  const [first] = pieces;
  const types = first === undefined ? [] : valueTypesOf(first.profile).map(bare);
  return {
    row,
    part,
    pieces,
    missing: rows.length - pieces.length + left,
    types,
    type: (wanted === null ? undefined : types[findType(types, wanted)]) ??
      (first === undefined ? null : bare(defaultTypeOf(first.profile))),
    threads,
    isTimed: pieces.some(({ profile }) => isTimed(profile)),
    samples: pieces.reduce((sum, piece) => sum + samplesIn(piece), 0),
    intervalMs: first === undefined ? null : intervalOf(first, threads),
  };
}

/** A continuous profiler does not know what its threads do; the transactions that ran meanwhile do. */
async function servedFirst(
  sql: Sql,
  projectId: string,
  { kind, profilerId, timestamp, durationMs }: ProfileRow,
  threads: ProfiledThread[],
): Promise<ProfiledThread[]> {
  if (kind !== "wall" || profilerId === null || threads.length < 2) return threads;
  if (threads.some(({ isActive }) => isActive)) return threads;
  const time = { start: timestamp, end: new Date(timestamp.getTime() + durationMs) };
  const serving = await servingThreads(sql, { projectId, ...time }, [profilerId]);
  return withServing(threads, serving.get(profilerId) ?? []);
}

/** The stacks of a part with the values of some types, or of all it has. */
export function stacksOf(
  { types: all, pieces }: Pick<ReadPart, "types" | "pieces">,
  types: readonly ValueType[] = all,
): StackProfile {
  const builder = new StackBuilder(types);
  for (const { profile, where } of pieces) builder.add(profile, { where });
  return builder.build();
}

/**
 * Of a profile that was taken for what one thread did, the thread is chosen where nobody asked for one: in the others
 * time passes as well, mostly waiting.
 */
function withThread(part: ProfilePart, threads: readonly ProfiledThread[]): ProfilePart {
  const [first] = threads;
  const isChoice = part.threadId === null && threads.length > 1 && first?.isActive;
  return isChoice ? { ...part, threadId: first.id } : part;
}

/** Samples of a profile that belongs to a trace or a span as a whole do not name it. */
function filterFor(row: ProfileRow, part: ProfilePart): SampleFilter {
  const isOfTrace = part.traceId !== null && row.traceId === part.traceId;
  const isOfSpan = isOfTrace && part.spanId !== null && row.spanId === part.spanId;
  return sampleFilterOf({
    ...part,
    traceId: isOfTrace ? null : part.traceId,
    spanId: isOfSpan ? null : part.spanId,
  });
}

function samplesIn({ profile, where }: ProfilePiece): number {
  const isIn = sampleMatcher(profile, where);
  let count = 0;
  for (let sample = 0; sample < profile.samples.count; sample++) if (isIn(sample)) count++;
  return count;
}

function intervalOf({ row, profile }: ProfilePiece, [first]: readonly ProfiledThread[]) {
  const isIn = sampleMatcher(profile, first === undefined ? {} : { threadId: first.id });
  return samplingIntervalMs(row, profile, isIn);
}

function bare({ type, unit }: ValueType): ValueType {
  return { type, unit };
}

/** Whether one thread is shown of several. */
export function showsOneThread({ part, threads }: Pick<ReadPart, "part" | "threads">): boolean {
  return threads.length > 1 && part.threadId !== null && part.threadId !== ALL_THREADS;
}
