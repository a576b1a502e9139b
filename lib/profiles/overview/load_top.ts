import type { Merged } from "../merge/merge.ts";
import type { ProfileSelection } from "../queries/profile_types.ts";
import { type ListPage, pageOf, sorted } from "../../ui/sorting.ts";
import { before } from "../../store/stats/steps.ts";
import { searchedRows, topRows } from "../trees/functions.ts";
import { mergedTree, type MergeServices, sharedMerge } from "../load_selection.ts";
import type { Shape } from "../shape.ts";
import { TOP_COLUMNS, type TopRow } from "../top_table.tsx";
import type { ViewState } from "./read_view.ts";

/** Functions of merged profiles. */
export interface Top {
  readonly merged: Merged;
  readonly list: ListPage<TopRow>;
  /** Value of everything, in `unit`. */
  readonly all: bigint;
  readonly unit: string;
  /** Profiles of the time before, with which shares are compared. */
  readonly compared: number;
}

/** Functions of a selection, compared with the same time before, as sorted, searched and cut as the view wants it. */
export async function loadTop(
  services: MergeServices,
  selection: ProfileSelection,
  shape: Shape,
  { query, sorting, page }: ViewState,
): Promise<Top> {
  const [merged, earlier] = await Promise.all([
    sharedMerge(services, selection),
    sharedMerge(services, { ...selection, ...before(selection) }),
  ]);
  // Inverted a graph has the same functions with the same totals.
  const straight: Shape = { ...shape, isInverted: false };
  const tree = mergedTree(merged, selection, straight);
  const rows = topRows(tree, mergedTree(earlier, selection, straight));
  return {
    merged,
    list: pageOf(sorted(searchedRows(rows, query), TOP_COLUMNS, sorting), page),
    all: tree.totals[0] ?? 0n,
    unit: tree.type.unit,
    compared: earlier.profiles,
  };
}
