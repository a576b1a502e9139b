import { readTypeId } from "../../formats/pprof/sample_types.ts";
import { StackBuilder } from "../trees/stack_builder.ts";
import { addPieces, READ_WIDTH } from "./add_pieces.ts";
import { keepMerge, readMerge } from "./merge_cache.ts";
import type { MergeGroup } from "./merge_groups.ts";
import type { MergeRow } from "./merge_rows.ts";
import type { MergeWork } from "./merge_work.ts";
import { readAhead } from "./read_ahead.ts";

/**
 * Adds groups of profiles to a tree: merges of them that were made before, else the profiles themselves, which are
 * merged for the next time.
 *
 * @returns whether all of them are in it
 */
export async function addGroups(
  target: StackBuilder,
  groups: readonly MergeGroup[],
  work: MergeWork,
): Promise<boolean> {
  const missing = await addKept(target, groups.toSorted(byChance), work);
  let isWhole = true;
  for (const group of missing.filter(({ key }) => key !== null)) {
    isWhole = await addMerged(target, group, work) && isWhole;
  }
  const others = missing.filter(({ key }) => key === null).flatMap(({ rows }) => rows);
  return await addPieces(target, others.map(wholeOf), work) && isWhole;
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
  work: MergeWork,
): Promise<boolean> {
  const { key, rows } = group;
  // The target may be full, which the small tree of the group cannot tell.
  if (work.isOver(target)) {
    work.left += rows.length;
    return false;
  }
  const types = (rows[0]?.types ?? []).flatMap((id) => readTypeId(id) ?? []);
  const builder = new StackBuilder(types, work.maxNodes);
  const isWhole = await addPiecesOf(builder, group, work);
  const stacks = builder.build();
  target.addStacks(stacks);
  work.cut += builder.cut;
  if (isWhole && builder.cut === 0 && key !== null) {
    await keepMerge(work.stores.objects, key, stacks);
  }
  return isWhole && builder.cut === 0;
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
