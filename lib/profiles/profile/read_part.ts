import { t } from "../../core/language/translate.ts";
import { nanosecondsOf } from "../../core/value_units.ts";
import type { PprofProfile, ValueType } from "../../formats/pprof/profile.ts";
import { defaultTypeOf, readTypeId, valueTypesOf } from "../../formats/pprof/sample_types.ts";
import type { Sql } from "../../store/database.ts";
import type { ObjectStore } from "../../store/objects/store.ts";
import { servingThreads } from "../merge/transaction_samples.ts";
import { ALL_THREADS, type ProfilePart, sampleFilterOf, stretchOf } from "../profile_part.ts";
import type { ProfileRow } from "../queries/profile_query.ts";
import { listProfiles, readPprof } from "../queries/stored_profiles.ts";
import { isKey, offsetOf, type SampleFilter, sampleMatcher } from "../trees/sample_filter.ts";
import { StackBuilder } from "../trees/stack_builder.ts";
import { findType, type StackProfile } from "../trees/stacks.ts";

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

/** An hour of chunks of a minute. */
const MAX_CHUNKS = 60;

/**
 * The rows of all that a part is made of, by time: the profile itself, or the chunks of its profiler that cover the
 * time of the part.
 *
 * @returns with them how many more there are; counted no further than 1
 */
async function rowsOfPart(
  sql: Sql,
  projectId: string,
  row: ProfileRow,
  part: ProfilePart,
): Promise<{ readonly rows: readonly ProfileRow[]; readonly left: number }> {
  const stretch = stretchOf(part);
  const { profilerId } = row;
  if (profilerId === null || profilerId !== part.profilerId || stretch === null) {
    return { rows: [row], left: 0 };
  }
  const { rows, nextCursor } = await listProfiles(sql, {
    projectId,
    profilerId,
    kind: row.kind,
    services: [],
    environments: [],
    releases: [],
    start: new Date(Math.floor(stretch.from)),
    end: new Date(Math.ceil(stretch.until)),
    clip: true,
  }, { limit: MAX_CHUNKS });
  if (rows.length === 0) return { rows: [row], left: 0 };
  return {
    rows: rows.toSorted((a, b) => a.timestamp.getTime() - b.timestamp.getTime()),
    left: nextCursor === null ? 0 : 1,
  };
}

/** A thread that samples name. */
interface ProfiledThread {
  readonly id: string;
  /** `""` when nobody named it. */
  readonly name: string;
  /** The one that ran what the profile was taken for. */
  readonly isActive: boolean;
  readonly samples: number;
}

interface Draft {
  name: string;
  isActive: boolean;
  samples: number;
}

/** As Python, the JVM and Node call theirs. */
const MAIN_THREAD = /^main(?:[ _-]?thread)?$/i;

/** The threads of profiles, the active ones first, then the main one and those of most samples; none when samples name none. */
function threadsOf(profiles: readonly PprofProfile[]): ProfiledThread[] {
  const threads = new Map<string, Draft>();
  for (const profile of profiles) addThreads(threads, profile);
  return [...threads].map(([id, facts]) => ({ id, ...facts })).sort(compareThreads);
}

/** The same with the threads that are known to have served, where samples do not say. */
function withServing(
  threads: readonly ProfiledThread[],
  serving: readonly string[],
): ProfiledThread[] {
  return threads.map((thread) => ({ ...thread, isActive: serving.includes(thread.id) }))
    .sort(compareThreads);
}

/** Puts threads into the order in which people look for them. */
function compareThreads(
  a: ProfiledThread,
  b: ProfiledThread,
): number {
  return Number(b.isActive) - Number(a.isActive) ||
    Number(MAIN_THREAD.test(b.name)) - Number(MAIN_THREAD.test(a.name)) ||
    b.samples - a.samples || (a.id < b.id ? -1 : 1);
}

/** What a thread is called. */
export function threadTitle({ id, name }: Pick<ProfiledThread, "id" | "name">): string {
  return name === "" ? t("thread {id}", { id }) : name;
}

function addThreads(threads: Map<string, Draft>, { samples, strings }: PprofProfile): void {
  const { starts, keys, texts, numbers } = samples.labels;
  // There may be a million labels, of a few keys only.
  const used = [...new Set(keys)];
  const keyOf = (name: string) => used.find((key) => isKey(strings[key] ?? "", name)) ?? -1;
  const [idKey, nameKey] = [keyOf("thread_id"), keyOf("thread_name")];
  const activeKey = used.find((key) => strings[key] === "active_thread") ?? -1;
  if (idKey < 0) return;
  for (let sample = 0; sample < samples.count; sample++) {
    let [id, name, isActive] = [null as string | null, "", false];
    for (let at = starts[sample] ?? 0; at < (starts[sample + 1] ?? 0); at++) {
      const key = keys[at];
      if (key !== idKey && key !== nameKey && key !== activeKey) continue;
      const place = texts[at] ?? 0;
      const text = place === 0 ? String(numbers[at]) : strings[place] ?? "";
      if (key === idKey) id = text;
      else if (key === nameKey) name = text;
      else isActive = text === "true";
    }
    if (id === null) continue;
    const known = threads.get(id) ?? { name: "", isActive: false, samples: 0 };
    threads.set(id, known);
    known.name ||= name;
    known.isActive ||= isActive;
    known.samples++;
  }
}

/** Whether samples of a profile tell when they were taken. */
function isTimed(profile: PprofProfile): boolean {
  return profile.samples.count > 0 && offsetOf(profile, 0) !== null;
}

/**
 * The time between two samples in milliseconds, as the profile says or, where it does not, as its samples lie.
 *
 * @param isIn of which samples, all of one thread
 * @returns null where nobody can tell
 */
function samplingIntervalMs(
  row: Pick<ProfileRow, "period" | "periodType">,
  profile: PprofProfile,
  isIn: (sample: number) => boolean,
): number | null {
  const nanos = nanosecondsOf(readTypeId(row.periodType)?.unit ?? "");
  if (nanos !== null && row.period > 0n) return Number(row.period * nanos) / 1e6;
  let [count, first, last] = [0, Infinity, -Infinity];
  for (let sample = 0; sample < profile.samples.count; sample++) {
    if (!isIn(sample)) continue;
    const offset = offsetOf(profile, sample);
    if (offset === null) return null;
    count++;
    first = Math.min(first, Number(offset));
    last = Math.max(last, Number(offset));
  }
  return count > 1 && last > first ? (last - first) / (count - 1) / 1e6 : null;
}
