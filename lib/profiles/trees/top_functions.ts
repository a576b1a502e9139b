import { compareFrames, outermost } from "./call_tree.ts";
import { type DiffScale, diffTrees } from "./diff_trees.ts";
import type { CallTree, Frame } from "./stacks.ts";

/** What one function takes. */
export interface FunctionTotals {
  readonly frame: Frame;
  /** Without what it calls. */
  readonly self: bigint;
  /** With what it calls; a function that calls itself counts once. */
  readonly total: bigint;
}

/** What one function takes in two trees. */
export interface FunctionChange extends FunctionTotals {
  readonly baseSelf: bigint;
  readonly baseTotal: bigint;
}

/** All functions, the largest own value first, as `go tool pprof -top` lists them as flat and cum. */
export function topFunctions(tree: CallTree): FunctionTotals[] {
  const counts = outermost(tree.parents, tree.nodeFrames);
  const { selfs, totals } = perFrame(tree, tree.selfs, tree.totals, counts);
  return tree.frames
    .map((frame, place) => ({
      frame,
      self: selfs[place] as bigint,
      total: totals[place] as bigint,
    }))
    .slice(1)
    .sort((a, b) => descending(a.self, b.self) || descending(a.total, b.total) || byFrame(a, b));
}

/**
 * All functions of two trees, those first whose own value grew the most.
 *
 * @param scale see {@linkcode diffTrees}
 */
export function topChanges(
  base: CallTree,
  other: CallTree,
  scale: DiffScale = "total",
): FunctionChange[] {
  const tree = diffTrees(base, other, scale);
  const counts = outermost(tree.parents, tree.nodeFrames);
  const now = perFrame(tree, tree.selfs, tree.totals, counts);
  const before = perFrame(tree, tree.baseSelfs, tree.baseTotals, counts);
  return tree.frames
    .map((frame, place) => ({
      frame,
      self: now.selfs[place] as bigint,
      total: now.totals[place] as bigint,
      baseSelf: before.selfs[place] as bigint,
      baseTotal: before.totals[place] as bigint,
    }))
    .slice(1)
    .sort((a, b) =>
      descending(a.self - a.baseSelf, b.self - b.baseSelf) ||
      descending(a.total - a.baseTotal, b.total - b.baseTotal) || byFrame(a, b)
    );
}

function perFrame(
  { frames, nodeFrames }: CallTree,
  nodeSelfs: BigInt64Array,
  nodeTotals: BigInt64Array,
  counts: Uint8Array,
): { selfs: BigInt64Array; totals: BigInt64Array } {
  const selfs = new BigInt64Array(frames.length);
  const totals = new BigInt64Array(frames.length);
  for (let node = 1; node < nodeFrames.length; node++) {
    const frame = nodeFrames[node] as number;
    selfs[frame] = (selfs[frame] as bigint) + (nodeSelfs[node] as bigint);
    if (counts[node]) totals[frame] = (totals[frame] as bigint) + (nodeTotals[node] as bigint);
  }
  return { selfs, totals };
}

export function descending(a: bigint, b: bigint): number {
  return a === b ? 0 : a < b ? 1 : -1;
}

function byFrame({ frame: a }: FunctionTotals, { frame: b }: FunctionTotals): number {
  return compareFrames(a, b);
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
