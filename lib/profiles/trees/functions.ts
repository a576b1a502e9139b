/** Functions of graphs as rows of tables. */
import type { CallTree } from "./stack_profile.ts";
import { topChanges, topFunctions } from "./top_functions.ts";
import type { TopRow } from "../top_table.tsx";

/**
 * All functions of a tree.
 *
 * @param before what their shares are compared with; both sides count as wholes, however much they are. Null or empty:
 * nothing.
 */
export function topRows(tree: CallTree, before: CallTree | null): TopRow[] {
  const all = Number(tree.totals[0] ?? 0n);
  if (before === null || (before.totals[0] ?? 0n) <= 0n || all <= 0) {
    return topFunctions(tree).map((row) => ({ ...row, selfChange: null, totalChange: null }));
  }
  return topChanges(before, tree).map(({ frame, self, total, baseSelf, baseTotal }) => ({
    frame,
    self,
    total,
    selfChange: Number(self - baseSelf) / all,
    totalChange: Number(total - baseTotal) / all,
  }));
}

/** Those whose name, file or module has the text in it, in whatever case. */
export function searchedRows(rows: readonly TopRow[], text: string): readonly TopRow[] {
  const wanted = text.trim().toLowerCase();
  if (wanted === "") return rows;
  return rows.filter(({ frame: { name, file, module } }) =>
    [name, file, module].some((each) => each.toLowerCase().includes(wanted))
  );
}
