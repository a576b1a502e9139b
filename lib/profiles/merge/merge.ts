import type { ValueType } from "../../formats/pprof/profile.ts";
import { natureOf, readTypeId } from "../../formats/pprof/sample_types.ts";
import type { Sql } from "../../store/database.ts";
import { placeOf, type ProfileSelection, selected } from "../queries/profile_query.ts";
import { decodeStored, readPprofBytes } from "../queries/stored_profiles.ts";
import { StackBuilder } from "../trees/stack_builder.ts";
import { findType, type StackProfile } from "../trees/stacks.ts";
import { addGroups, mergeGroups } from "./merge_groups.ts";
import {
  addPieces,
  mergeColumns,
  type MergeLimits,
  type MergePiece,
  type MergeRow,
  MergeWork,
  nanosOf,
  type ProfileStores,
  READ_WIDTH,
  readAhead,
  readMergeRows,
  sampleFilterOf,
} from "./merge_rows.ts";
import { piecesOfTransaction, withServed } from "./transaction_samples.ts";

/** Profiles of a selection, as one. */
export interface Merged {
  /** All types that may be added up as the one that was asked for, which is among them. */
  readonly stacks: StackProfile;
  /** What may be done with such values over time, and was done: added up, subtracted, or to be divided. */
  readonly nature: "interval" | "cumulative" | "snapshot";
  /** How many profiles it tells of. */
  readonly profiles: number;
  /** How many more there are: too many for one merge, gone or damaged. */
  readonly left: number;
  /** Stacks that lost their innermost frames because there were too many; their values are in it all the same. */
  readonly cut: number;
  /** What values are to be divided by: snapshots are added up in `stacks`, and looked at as their average; else 1. */
  readonly average: bigint;
  /** Of what is counted since processes began; null when nothing is. */
  readonly differences: Differences | null;
}

/**
 * Merges the profiles of a selection, exactly. Values of stretches of time are added up. Of what is counted since a
 * process began, as Go counts allocations, its growth is taken. Snapshots are to be averaged. Merges of whole hours and
 * days are kept in the object store, unless the selection chooses among samples.
 *
 * @param stopping ends the work when nobody waits for it any longer
 * @throws {DOMException} AbortError then
 */
export async function mergeProfiles(
  stores: ProfileStores,
  selection: ProfileSelection,
  stopping?: AbortSignal,
  limits?: MergeLimits,
): Promise<Merged> {
  const work = new MergeWork(stores, stopping, limits);
  const { sql } = stores;
  const { kind, type } = selection;
  const nature = natureOf(kind, type.type, false);
  const isCumulative = nature === "cumulative";
  const { rows, left } = await readMergeRows(sql, selection, isCumulative, work.maxProfiles);
  const turns = isCumulative ? await readTurns(sql, selection) : [];
  const linked = await piecesOfTransaction(sql, selection, rows);
  work.left += left;
  const sources = [...rows, ...turns, ...linked.map(({ row }) => row)];
  const target = new StackBuilder(typesLike(selection, sources), work.maxNodes);
  await addRows(target, rows, selection, work);
  await addPieces(target, linked, work);
  const differences = await addDifferences(target, turns, selection, work);
  const { profiles, durationNanos } = work;
  return {
    stacks: { ...target.build(), profiles, durationNanos },
    nature: isCumulative && differences === null ? "interval" : nature,
    profiles,
    left: work.left,
    cut: work.cut + target.cut,
    average: nature === "snapshot" && profiles > 0 ? BigInt(profiles) : 1n,
    differences,
  };
}

/** The type that is asked for, and others of the same profiles with which the same may be done. */
function typesLike(
  { kind, type }: ProfileSelection,
  sources: readonly { readonly types: readonly string[] }[],
): ValueType[] {
  const nature = natureOf(kind, type.type, false);
  const ids = new Set(sources.flatMap(({ types }) => types));
  const found: ValueType[] = [];
  for (const other of [...[...ids].flatMap((id) => readTypeId(id) ?? []), type]) {
    const isLike = natureOf(kind, other.type, false) === nature;
    if (isLike && findType(found, other) < 0) found.push(other);
  }
  return found;
}

/** Whole profiles by their merges; of those of which only some samples are meant every one has to be read. */
async function addRows(
  target: StackBuilder,
  rows: readonly MergeRow[],
  selection: ProfileSelection,
  work: MergeWork,
): Promise<void> {
  const pieces = rows.map((row): MergePiece => {
    const filter = sampleFilterOf(selection, row);
    return { row, filters: filter && [filter], nanos: coveredNanos(row, selection) };
  });
  if (pieces.some(({ filters }) => filters !== null)) {
    await addPieces(target, pieces, work);
    return;
  }
  const served = await withServed(work.stores.sql, selection, rows);
  await addGroups(target, mergeGroups(served, { ...selection, now: new Date() }), work);
}

function coveredNanos(
  { timestamp, durationMs }: MergeRow,
  { start, end, clip }: ProfileSelection,
): bigint | null {
  if (!clip) return null;
  const from = Math.max(timestamp.getTime(), start.getTime());
  const until = Math.min(timestamp.getTime() + durationMs, end.getTime());
  return nanosOf(Math.max(0, until - from));
}

/** What is counted since a process began: how much it grew. */

/** What differences were made of. */
export interface Differences {
  /** Processes: service, instance, environment and release. */
  readonly instances: number;
  /** How often one of them began anew, which its total tells by being less than before. */
  readonly resets: number;
  /** Processes that are in it with all that they counted since they began: there is one profile of them only. */
  readonly whole: number;
}

/** A profile at the beginning or the end of a stretch in which totals only grow. */
interface Turn extends MergeRow {
  readonly instance: string;
  readonly isFirst: boolean;
  readonly isLast: boolean;
  /** Place among the profiles of the instance, from 1, and how many those are. */
  readonly place: string;
  readonly count: string;
}

interface Segment {
  readonly first: Turn;
  readonly last: Turn;
}

const MAX_TURNS = 50_000;

/**
 * Adds how much values grew within the selection, for each process from its first to its last profile. When a total
 * drops, the process began anew and so does the counting; what it counted in between is not known.
 *
 * @param turns what {@linkcode readTurns} found
 * @returns null when there are none
 */
async function addDifferences(
  target: StackBuilder,
  turns: readonly Turn[],
  selection: ProfileSelection,
  work: MergeWork,
): Promise<Differences | null> {
  if (turns.length === 0) return null;
  const segments = segmentsOf(turns);
  const counted = segments.filter((segment) => segment.first !== segment.last || isOnly(segment));
  const step = Math.ceil(counted.length * 2 / work.maxProfiles);
  for (const [place, segment] of counted.entries()) {
    if (place % step > 0) work.left += profilesOf(segment);
  }
  const chosen = counted.filter((_, place) => place % step === 0);
  await addSegments(target, chosen, selection, work);
  const instances = turns.filter(({ place }) => place === "1").length;
  return {
    instances,
    resets: segments.length - instances,
    whole: chosen.filter(isOnly).length,
  };
}

/** The profiles of a selection that cover no stretch of time, as far as something begins or ends with them. */
async function readTurns(sql: Sql, selection: ProfileSelection): Promise<Turn[]> {
  return await sql<Turn[]>`
    with points as (
      select *, totals[place] as total from (
        select *, ${placeOf(sql, selection.type)} as place from profiles
        where ${selected(sql, selection)} and not is_delta
      ) as placed
    ),
    steps as (
      select *, lag(total) over process as before, lead(total) over process as after,
        row_number() over process as place_of,
        count(*) over (partition by service, instance, environment, release) as count
      from points
      window process as (
        partition by service, instance, environment, release order by "timestamp", profile_id
      )
    )
    select ${mergeColumns(sql)}, instance, place_of as place, count,
      before is null or total < before as "isFirst", after is null or after < total as "isLast"
    from steps
    where before is null or total < before or after is null or after < total
    order by service, instance, environment, release, place_of
    limit ${MAX_TURNS}
  `;
}

function segmentsOf(turns: readonly Turn[]): Segment[] {
  return turns.flatMap((first, index) => {
    if (!first.isFirst) return [];
    const last = first.isLast ? first : turns[index + 1];
    return last === undefined ? [] : [{ first, last }];
  });
}

function profilesOf({ first, last }: Segment): number {
  return Number(last.place) - Number(first.place) + 1;
}

/** The one profile that there is of a process. */
function isOnly({ first, last }: Segment): boolean {
  return first === last && first.count === "1";
}

async function addSegments(
  target: StackBuilder,
  segments: readonly Segment[],
  selection: ProfileSelection,
  work: MergeWork,
): Promise<void> {
  const { objects } = work.stores;
  const read = ({ first, last }: Segment) =>
    Promise.all([
      readPprofBytes(objects, last),
      first === last ? null : readPprofBytes(objects, first),
    ]);
  for await (const [segment, [end, start]] of readAhead(segments, READ_WIDTH / 2, read)) {
    await work.breathe();
    const { first, last } = segment;
    const after = end === null || work.isOver(target) ? null : decodeStored(end);
    const before = start === null ? null : decodeStored(start);
    if (after === null || (before === null && first !== last)) {
      work.left += profilesOf(segment);
      continue;
    }
    const filter = sampleFilterOf(selection, last);
    const where = filter === null ? {} : { where: filter };
    target.add(after, where);
    if (before !== null) target.add(before, { ...where, weight: -1n });
    work.profiles += profilesOf(segment);
    work.durationNanos += nanosOf(last.timestamp.getTime() - first.timestamp.getTime());
  }
}
