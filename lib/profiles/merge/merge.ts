import type { ValueType } from "../../formats/pprof/profile.ts";
import { natureOf, readTypeId } from "../../formats/pprof/sample_types.ts";
import { StackBuilder } from "../trees/stack_builder.ts";
import type { StackProfile } from "../trees/stack_profile.ts";
import { findType } from "../trees/value_units.ts";
import { addGroups } from "./add_groups.ts";
import { addPieces, type MergePiece } from "./add_pieces.ts";
import { addDifferences, type Differences, readTurns } from "./differences.ts";
import { mergeGroups } from "./merge_groups.ts";
import { type MergeRow, nanosOf, readMergeRows, sampleFilterOf } from "./merge_rows.ts";
import { type MergeLimits, MergeWork, type ProfileStores } from "./merge_work.ts";
import { piecesOfTransaction } from "./of_transaction.ts";
import type { ProfileSelection } from "../queries/profile_types.ts";
import { withServed } from "./served_threads.ts";

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
