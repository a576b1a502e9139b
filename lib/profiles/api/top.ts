import type { ProjectAccess } from "../../accounts/authorize.ts";
import type { Frame } from "../trees/stack_profile.ts";
import { callTree } from "../trees/call_tree.ts";
import { aggregated } from "../trees/reshape.ts";
import { type FunctionChange, topChanges, topFunctions } from "../trees/top_functions.ts";
import type { Merged } from "../merge/merge.ts";
import { Turns } from "../../core/turns.ts";
import type { ApiContext } from "../../api/api.ts";
import { unlessGone } from "./client_gone.ts";
import { mergedJson, type MergedRequest, readMerged } from "./merged.ts";
import { readWord } from "./read_query.ts";
import { filteredBy, readView, type TreeView } from "./read_view.ts";

const LIMIT = { default: 50, max: 1_000 };
const SORTS = ["self", "total", "growth"] as const;

/**
 * The functions that take the most, as `go tool pprof -top` lists them; `query` is found in name, file or module.
 * Compared with another selection also what they took there.
 */
export function topReply(ctx: ApiContext, access: ProjectAccess): Promise<Response> {
  return unlessGone(ctx.req, reply(ctx, access));
}

async function reply(ctx: ApiContext, access: ProjectAccess): Promise<Response> {
  const { searchParams: search } = ctx.url;
  const view = readView(search);
  const sort = readWord(search, "sort", SORTS);
  const limit = readLimit(search.get("limit") ?? search.get("per_page"));
  const request = await readMerged(ctx, access);
  const { type, total, baseTotal, functions } = await functionsOf(request, view);
  const { query } = view;
  const found = query === undefined ? functions : functions.filter(({ frame }) => query(frame));
  const rows = found.sort(ORDERS[sort]).slice(0, limit);
  return Response.json({
    ...mergedJson(request),
    type,
    total: String(total),
    baseTotal: baseTotal === null ? null : String(baseTotal),
    count: found.length,
    functions: rows.map((row) => functionJson(row, total, baseTotal)),
  });
}

type Row = Pick<FunctionChange, "frame" | "self" | "total"> & {
  readonly baseSelf: bigint | null;
  readonly baseTotal: bigint | null;
};

async function functionsOf(
  { selection: { type }, merged, base, scale }: MergedRequest,
  view: TreeView,
) {
  const turns = new Turns();
  const treeOf = async ({ stacks, average }: Merged) => {
    const tree = callTree(stacks, type, average);
    await turns.breathe();
    const grouped = aggregated(filteredBy(tree, view), view.by);
    await turns.breathe();
    return grouped;
  };
  const tree = await treeOf(merged);
  const total = tree.totals[0] ?? 0n;
  if (base === null) {
    const functions = topFunctions(tree).map((row): Row => (
      { ...row, baseSelf: null, baseTotal: null }
    ));
    return { type: tree.type, total, baseTotal: null, functions };
  }
  const baseTree = await treeOf(base);
  const functions: Row[] = topChanges(baseTree, tree, scale);
  return { type: tree.type, total, baseTotal: baseTree.totals[0] ?? 0n, functions };
}

const ORDERS: Readonly<Record<(typeof SORTS)[number], (a: Row, b: Row) => number>> = {
  self: (a, b) => compare(b.self, a.self) || compare(b.total, a.total),
  total: (a, b) => compare(b.total, a.total) || compare(b.self, a.self),
  growth: (a, b) => compare(b.self - (b.baseSelf ?? 0n), a.self - (a.baseSelf ?? 0n)),
};

function compare(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Values are text: they have 64 bits. Those of what is compared are scaled as the comparison is. */
function functionJson(
  { frame, self, total, baseSelf, baseTotal }: Row,
  whole: bigint,
  baseWhole: bigint | null,
) {
  return {
    ...frameJson(frame),
    self: String(self),
    total: String(total),
    selfShare: share(self, whole),
    totalShare: share(total, whole),
    ...baseWhole !== null && { baseSelf: String(baseSelf), baseTotal: String(baseTotal) },
  };
}

function frameJson({ name, file, module, line, isInApp }: Frame) {
  return { name, file, module, line, isInApp };
}

function share(part: bigint, whole: bigint): number {
  return whole === 0n ? 0 : Number(part) / Number(whole);
}

function readLimit(text: string | null): number {
  const asked = Math.trunc(Number(text ?? LIMIT.default));
  return asked >= 1 ? Math.min(asked, LIMIT.max) : LIMIT.default;
}
