import type { SampleFilter } from "../trees/sample_filter.ts";
import type { StackBuilder } from "../trees/stack_builder.ts";
import { decodeStored, readPprofBytes } from "../queries/bytes.ts";
import type { MergeRow } from "./merge_rows.ts";
import type { MergeWork } from "./merge_work.ts";
import { readAhead } from "./read_ahead.ts";

/** Objects that are read at once. */
export const READ_WIDTH = 16;

/** A profile, or those of its samples that any of the filters lets through; these must not overlap. */
export interface MergePiece {
  readonly row: Pick<MergeRow, "blobKey" | "types">;
  /** Null: all of it. */
  readonly filters: readonly SampleFilter[] | null;
  /** Nanoseconds that these samples cover; null: as many as the profile. */
  readonly nanos: bigint | null;
}

/** Reads profiles and adds them to a tree. @returns whether all of them are in it */
export async function addPieces(
  target: StackBuilder,
  pieces: readonly MergePiece[],
  work: MergeWork,
): Promise<boolean> {
  const { objects } = work.stores;
  const before = work.profiles;
  const read = ({ row }: MergePiece) => readPprofBytes(objects, row);
  for await (const [{ filters, nanos }, bytes] of readAhead(pieces, READ_WIDTH, read)) {
    await work.breathe();
    if (work.isOver(target)) break;
    const profile = bytes === null ? null : decodeStored(bytes);
    if (profile === null) continue;
    for (const where of filters ?? [undefined]) {
      target.add(profile, where === undefined ? {} : { where });
    }
    work.profiles++;
    work.durationNanos += nanos ?? profile.durationNanos;
  }
  const missing = pieces.length - (work.profiles - before);
  work.left += missing;
  return missing === 0;
}
