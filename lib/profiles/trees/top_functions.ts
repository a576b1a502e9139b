import { compareFrames, isDiffTree, outermost } from "./call_tree.ts";
import { diffTrees } from "./diff_trees.ts";
import type { CallTree, DiffTree, Frame } from "./stacks.ts";

/** What one function takes, in one tree or in two. */
export interface FunctionTotals {
  readonly frame: Frame;
  /** Without what it calls. */
  readonly self: bigint;
  /** With what it calls; a function that calls itself counts once. */
  readonly total: bigint;
  /** The same in what the tree is compared with; 0 where it is not. */
  readonly baseSelf: bigint;
  readonly baseTotal: bigint;
}

/**
 * All functions, the largest own value first, as `go tool pprof -top` lists them as flat and cum; of a comparison those
 * first whose own value grew the most.
 */
export function topFunctions(tree: CallTree | DiffTree): FunctionTotals[] {
  const { frames, nodeFrames } = tree;
  const base = isDiffTree(tree) ? { selfs: tree.baseSelfs, totals: tree.baseTotals } : null;
  const counts = outermost(tree.parents, nodeFrames);
  const own = perFrame(tree, tree, counts);
  const before = base && perFrame(tree, base, counts);
  const rows = frames.map((frame, place): FunctionTotals => ({
    frame,
    self: own.selfs[place] as bigint,
    total: own.totals[place] as bigint,
    baseSelf: before?.selfs[place] ?? 0n,
    baseTotal: before?.totals[place] ?? 0n,
  })).slice(1);
  const bySelf = base === null
    ? (a: FunctionTotals, b: FunctionTotals) =>
      descending(a.self, b.self) || descending(a.total, b.total)
    : (a: FunctionTotals, b: FunctionTotals) =>
      descending(a.self - a.baseSelf, b.self - b.baseSelf) ||
      descending(a.total - a.baseTotal, b.total - b.baseTotal);
  return rows.sort((a, b) => bySelf(a, b) || compareFrames(a.frame, b.frame));
}

/** What a side of a tree has, by function. @param counts 1 for nodes whose total counts */
function perFrame(
  { frames, nodeFrames }: CallTree,
  side: Pick<CallTree, "selfs" | "totals">,
  counts: Uint8Array,
): { selfs: BigInt64Array; totals: BigInt64Array } {
  const selfs = new BigInt64Array(frames.length);
  const totals = new BigInt64Array(frames.length);
  for (let node = 1; node < nodeFrames.length; node++) {
    const frame = nodeFrames[node] as number;
    selfs[frame] = (selfs[frame] as bigint) + (side.selfs[node] as bigint);
    if (counts[node]) totals[frame] = (totals[frame] as bigint) + (side.totals[node] as bigint);
  }
  return { selfs, totals };
}

export function descending(a: bigint, b: bigint): number {
  return a === b ? 0 : a < b ? 1 : -1;
}

/** What a function takes, and how its share changed. */
export interface TopRow extends FunctionTotals {
  /** Of its own share of everything, from -1 to 1, against what it is compared with; null without that. */
  readonly selfChange: number | null;
  readonly totalChange: number | null;
}

/**
 * All functions of a tree.
 *
 * @param before what their shares are compared with; both sides count as wholes, however much they are. Empty: nothing.
 */
export function topRows(tree: CallTree, before: CallTree): TopRow[] {
  const all = Number(tree.totals[0] ?? 0n);
  const isCompared = all > 0 && (before.totals[0] ?? 0n) > 0n;
  const shareOf = (change: bigint) => isCompared ? Number(change) / all : null;
  return topFunctions(isCompared ? diffTrees(before, tree, "total") : tree).map((row) => ({
    ...row,
    selfChange: shareOf(row.self - row.baseSelf),
    totalChange: shareOf(row.total - row.baseTotal),
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
