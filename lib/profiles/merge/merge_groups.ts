/** What was merged once is not merged again: merges of groups of profiles are kept in memory and in the object store. */
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../core/time.ts";
import { createHash } from "node:crypto";
import { readTypeId } from "../../formats/pprof/sample_types.ts";
import { packStacks, unpackStacks } from "../trees/pack_stacks.ts";
import { StackBuilder } from "../trees/stack_builder.ts";
import type { StackProfile } from "../trees/stacks.ts";
import {
  addPieces,
  type MergeRow,
  type MergeWork,
  type ProfileStores,
  READ_WIDTH,
  readAhead,
} from "./merge_rows.ts";

/**
 * Adds groups of profiles to a tree: merges of them that were made before, else the profiles themselves, which are
 * merged for the next time.
 */
export async function addGroups(
  target: StackBuilder,
  groups: readonly MergeGroup[],
  work: MergeWork,
): Promise<void> {
  const missing = await addKept(target, groups.toSorted(byChance), work);
  for (const group of missing) {
    if (group.key !== null) await addMerged(target, group, group.key, work);
  }
  const others = missing.filter(({ key }) => key === null).flatMap(({ rows }) => rows);
  await addPieces(target, others.map(wholeOf), work);
}

/** Ids are random: when the time is over before the end, what is left out is no stretch of time. */
function byChance({ rows: [a] }: MergeGroup, { rows: [b] }: MergeGroup): number {
  return (a?.profileId ?? "") < (b?.profileId ?? "") ? -1 : 1;
}

function wholeOf(row: MergeRow) {
  return { row, filters: row.served ?? null, nanos: null };
}

/** Adds what was merged before. @returns the other groups */
async function addKept(
  target: StackBuilder,
  groups: readonly MergeGroup[],
  work: MergeWork,
): Promise<MergeGroup[]> {
  const { objects } = work.stores;
  const missing: MergeGroup[] = [];
  const read = async ({ key }: MergeGroup) => key === null ? null : await readMerge(objects, key);
  for await (const [group, stacks] of readAhead(groups, READ_WIDTH, read)) {
    await work.breathe();
    if (stacks === null || work.isOver(target)) {
      missing.push(group);
      continue;
    }
    target.addStacks(stacks);
    work.profiles += group.rows.length;
    work.durationNanos += stacks.durationNanos;
  }
  return missing;
}

async function addMerged(
  target: StackBuilder,
  group: MergeGroup,
  key: string,
  work: MergeWork,
): Promise<void> {
  const { rows } = group;
  // The target may be full, which the small tree of the group cannot tell.
  if (work.isOver(target)) {
    work.left += rows.length;
    return;
  }
  const types = (rows[0]?.types ?? []).flatMap((id) => readTypeId(id) ?? []);
  const builder = new StackBuilder(types, work.maxNodes);
  const isWhole = await addPiecesOf(builder, group, work);
  const stacks = builder.build();
  target.addStacks(stacks);
  work.cut += builder.cut;
  if (isWhole && builder.cut === 0) await keepMerge(work.stores.objects, key, stacks);
}

/**
 * Adds what a group is made of: its parts that were merged before, and all other profiles. Those parts are not kept by
 * themselves: the whole is what is asked for again, and packing parts of many stacks takes longer than merging them.
 */
async function addPiecesOf(
  builder: StackBuilder,
  { rows, parts }: MergeGroup,
  work: MergeWork,
): Promise<boolean> {
  const others = parts.length === 0
    ? rows
    : (await addKept(builder, parts, work)).flatMap((part) => part.rows);
  return await addPieces(builder, others.map(wholeOf), work);
}

/** Profiles of one origin with the same types, of one stretch of time. */
export interface MergeGroup {
  /** In the object store; null when the merge is not worth keeping, or would never be asked for again. */
  readonly key: string | null;
  /** At least one. */
  readonly rows: readonly MergeRow[];
  /** The same profiles in smaller groups; empty for those that are made of profiles. */
  readonly parts: readonly MergeGroup[];
}

/** What is asked for, and when. */
interface MergePeriod {
  readonly projectId: string;
  readonly start: Date;
  readonly end: Date;
  readonly now: Date;
}

/** Changes whenever merging the same profiles gives something else. */
const VERSION = "1";
/**
 * Where not all of a day is asked for, its hours are kept together in pieces of this. A program runs much the same stacks
 * every hour, so that an hour's merge is nearly as large as a day's; yet the newest piece is made again every hour.
 */
const SHIFT_MS = 8 * HOUR_MS;
/** Of more profiles shorter pieces are kept, so that work whose time is over before its end goes on from there. */
const MOST_PROFILES = 500;
/** The hours at both ends of a range, and the one that goes on, are kept in pieces of this. */
const SLICE_MS = 5 * MINUTE_MS;
/** Uploads take their time. */
const SETTLED_MS = 2 * MINUTE_MS;
const LEAST_PROFILES = 4;

/**
 * Puts profiles into groups: by the day where all of it is over and asked for, by the hours of a third of it (less
 * where they are many), and by five minutes.
 */
export function mergeGroups(rows: readonly MergeRow[], period: MergePeriod): MergeGroup[] {
  const days = Map.groupBy(rows, (row) => `${floor(row, DAY_MS)} ${originOf(row)}`);
  return [...days.values()].flatMap((ofDay) => {
    const shifts = groupsBy(ofDay, SHIFT_MS).flatMap((shift) => groupsOfShift(shift, period));
    const isDay = shifts.length > 1 && isSettled(ofDay, DAY_MS, period);
    const day = isDay ? groupOf(ofDay, period, true, shifts) : null;
    return day?.key ? [day] : shifts;
  });
}

function groupsOfShift(shift: readonly MergeRow[], period: MergePeriod): MergeGroup[] {
  const hours = groupsBy(shift, HOUR_MS);
  const settled = hours.filter((hour) => isSettled(hour, HOUR_MS, period)).flat();
  const slices = hours.filter((hour) => !isSettled(hour, HOUR_MS, period))
    .flatMap((hour) => groupsBy(hour, SLICE_MS));
  return [
    ...halved(settled, SHIFT_MS).map((piece) => groupOf(piece, period, true)),
    ...slices.map((slice) => groupOf(slice, period, isSettled(slice, SLICE_MS, period))),
  ];
}

/** Halves a stretch of time, down to hours, where it has too many profiles. */
function halved(rows: readonly MergeRow[], lengthMs: number): (readonly MergeRow[])[] {
  const isSmall = rows.length <= MOST_PROFILES || lengthMs === HOUR_MS;
  if (isSmall) return rows.length === 0 ? [] : [rows];
  return groupsBy(rows, lengthMs / 2).flatMap((half) => halved(half, lengthMs / 2));
}

function groupsBy(rows: readonly MergeRow[], lengthMs: number): MergeRow[][] {
  return [...Map.groupBy(rows, (row) => floor(row, lengthMs)).values()];
}

/** All of the stretch of time is asked for, and nothing comes to it any more. */
function isSettled(
  [row]: readonly MergeRow[],
  lengthMs: number,
  { start, end, now }: MergePeriod,
): boolean {
  if (row === undefined) return false;
  const from = floor(row, lengthMs);
  const until = from + lengthMs;
  return from >= start.getTime() && until <= end.getTime() && until + SETTLED_MS <= now.getTime();
}

function groupOf(
  rows: readonly MergeRow[],
  { projectId }: MergePeriod,
  isKept: boolean,
  parts: readonly MergeGroup[] = [],
): MergeGroup {
  const isWorthIt = isKept && rows.length >= LEAST_PROFILES;
  return { key: isWorthIt ? keyOf(projectId, rows) : null, rows, parts };
}

/**
 * Made of the ids of what is in it, so that a merge is never wrong: a profile that comes late, or is deleted, makes
 * another key. Under the day, so that it goes when its profiles go.
 */
function keyOf(projectId: string, rows: readonly MergeRow[]): string {
  const ids = rows.map(({ profileId, served }) =>
    served === undefined ? profileId : `${profileId} ${JSON.stringify(served)}`
  ).sort();
  const digest = createHash("sha256").update([VERSION, ...ids].join("\n")).digest("hex");
  const day = rows[0]?.timestamp.toISOString().slice(0, 10);
  return `profile_merges/${projectId}/${day}/${digest}`;
}

function originOf({ service, environment, release, types, isDelta }: MergeRow): string {
  return JSON.stringify([service, environment, release, isDelta, types]);
}

function floor({ timestamp }: MergeRow, lengthMs: number): number {
  return Math.floor(timestamp.getTime() / lengthMs) * lengthMs;
}

type Objects = ProfileStores["objects"];

/** Those of one object store never stand for those of another. */
const memories = new WeakMap<Objects, StackMemory>();

/** A merge that was made before, or null. A damaged one is none. */
async function readMerge(objects: Objects, key: string): Promise<StackProfile | null> {
  const known = memoryOf(objects).get(key);
  if (known !== undefined) return known;
  const bytes = await objects.get(key);
  const stacks = bytes === null ? null : unpacked(bytes);
  if (stacks !== null) memoryOf(objects).set(key, stacks);
  return stacks;
}

/** Keeps a merge. An object store that does not take it costs the next reader time, and nobody anything else. */
async function keepMerge(
  objects: Objects,
  key: string,
  stacks: StackProfile,
): Promise<void> {
  memoryOf(objects).set(key, stacks);
  await objects.put(key, packStacks(stacks)).catch(() => {});
}

function memoryOf(objects: Objects): StackMemory {
  const known = memories.get(objects);
  if (known !== undefined) return known;
  const memory = new StackMemory();
  memories.set(objects, memory);
  return memory;
}

function unpacked(bytes: Uint8Array): StackProfile | null {
  try {
    return unpackStacks(bytes);
  } catch {
    return null;
  }
}

const MAX_BYTES = 64 * 1024 * 1024;
/** Without its texts. */
const BYTES_A_FRAME = 100;

/** Merged stacks that were used of late, by their key, as many as fit. */
export class StackMemory {
  /** The latest used last. */
  readonly #stacks = new Map<string, StackProfile>();
  #bytes = 0;

  /** @param maxBytes memory that all of them may take, nearly */
  constructor(private readonly maxBytes = MAX_BYTES) {}

  get(key: string): StackProfile | undefined {
    const stacks = this.#stacks.get(key);
    if (stacks === undefined) return undefined;
    this.#stacks.delete(key);
    this.#stacks.set(key, stacks);
    return stacks;
  }

  set(key: string, stacks: StackProfile): void {
    this.#forget(key);
    this.#stacks.set(key, stacks);
    this.#bytes += bytesOf(stacks);
    for (const [oldest] of this.#stacks) {
      if (this.#bytes <= this.maxBytes) break;
      this.#forget(oldest);
    }
  }

  #forget(key: string): void {
    const stacks = this.#stacks.get(key);
    if (stacks === undefined) return;
    this.#stacks.delete(key);
    this.#bytes -= bytesOf(stacks);
  }
}

function bytesOf({ parents, selfs, frames }: StackProfile): number {
  // Files and modules are mostly those of others too; counted once for each function they make up for what is not.
  const text = frames.reduce((sum, { name, file }) => sum + name.length + file.length, 0);
  return parents.length * (8 + 8 * selfs.length) + frames.length * BYTES_A_FRAME + 2 * text;
}
