import type { ProjectAccess } from "../../accounts/authorize.ts";
import { readLimit, rounded } from "../../api/lists.ts";
import { type ApiContext, ApiError, listReply } from "../../api/route.ts";
import { Turns } from "../../core/waiting.ts";
import { typeId } from "../../formats/pprof/sample_types.ts";
import type { Merged } from "../merge/merge.ts";
import { hexDigits } from "../params.ts";
import type { ProfileRow } from "../queries/profile_query.ts";
import {
  findProfile,
  listProfiles,
  PROFILE_ORDERS,
  readPprofBytes,
  readProfileCursor,
} from "../queries/stored_profiles.ts";
import { callTree } from "../trees/call_tree.ts";
import { flamePayload } from "../trees/flame_payload.ts";
import { aggregated, drawn, filtered, sandwich } from "../trees/reshape.ts";
import type { CallTree } from "../trees/stacks.ts";
import { diffTrees } from "../trees/diff_trees.ts";
import { descending, type FunctionTotals, topFunctions } from "../trees/top_functions.ts";
import { download, EXPORT_FORMATS, exportReply } from "./api_exports.ts";
import {
  mergedJson,
  type MergedRequest,
  readMerged,
  readProfileQuery,
  readView,
  readWord,
  treeOf,
  type TreeView,
} from "./requests.ts";

const MAX_DEPTH = 2_048;

/**
 * The merged flame graph of a selection of profiles, or of two of them. With `query` who calls such functions and what
 * they call; with `path` what is below one node; with `format` a file for another tool.
 */
export function flamegraphReply(ctx: ApiContext, access: ProjectAccess): Promise<Response> {
  return unlessGone(ctx.req, flamegraph(ctx, access));
}

async function flamegraph(ctx: ApiContext, access: ProjectAccess): Promise<Response> {
  const { searchParams: search } = ctx.url;
  const format = readWord(search, "format", ["json", ...EXPORT_FORMATS]);
  const view = readView(search);
  const path = readPath(search.get("path") ?? "");
  const request = await readMerged(ctx, access);
  if (format !== "json") return await exportReply(request, view, format);
  const turns = new Turns();
  const merged = treeOf(request);
  await turns.breathe();
  const tree = filtered(merged, view);
  await turns.breathe();
  const platform = request.platform || undefined;
  const payload = async (part: CallTree) => {
    const shown = drawn(part, view);
    await turns.breathe();
    return flamePayload(shown, { path, platform });
  };
  const facts = mergedJson(request);
  if (view.query === undefined) return Response.json({ ...facts, flamegraph: await payload(tree) });
  const { callers, callees } = sandwich(tree, view.query);
  await turns.breathe();
  return Response.json({
    ...facts,
    callers: flamePayload(callers, { platform }),
    callees: await payload(callees),
  });
}

function readPath(text: string): string[] {
  const path = text === "" ? [] : text.split(",");
  const isPath = path.every((segment) => /^[0-9a-f]{8}(\.\d{1,6})?$/.test(segment));
  if (isPath && path.length <= MAX_DEPTH) return path;
  throw ApiError.detail(400, "Invalid path: write the hashes of functions, with commas between");
}

const LIMIT = { default: 50, max: 1_000 };
const SORTS = ["self", "total", "growth"] as const;

/**
 * The functions that take the most, as `go tool pprof -top` lists them; `query` is found in name, file or module.
 * Compared with another selection also what they took there.
 */
export function topReply(ctx: ApiContext, access: ProjectAccess): Promise<Response> {
  return unlessGone(ctx.req, top(ctx, access));
}

async function top(ctx: ApiContext, access: ProjectAccess): Promise<Response> {
  const { searchParams: search } = ctx.url;
  const view = readView(search);
  const sort = readWord(search, "sort", SORTS);
  const limit = readTopLimit(search.get("limit") ?? search.get("per_page"));
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

async function functionsOf(
  { selection: { type }, merged, base, scale }: MergedRequest,
  view: TreeView,
) {
  const turns = new Turns();
  const treeOf = async ({ stacks, average }: Merged) => {
    const tree = callTree(stacks, type, average);
    await turns.breathe();
    const grouped = aggregated(filtered(tree, view), view.by);
    await turns.breathe();
    return grouped;
  };
  const tree = await treeOf(merged);
  const total = tree.totals[0] ?? 0n;
  const baseTree = base === null ? null : await treeOf(base);
  return {
    type: tree.type,
    total,
    baseTotal: baseTree && (baseTree.totals[0] ?? 0n),
    functions: topFunctions(baseTree === null ? tree : diffTrees(baseTree, tree, scale)),
  };
}

type Order = (a: FunctionTotals, b: FunctionTotals) => number;

const ORDERS: Readonly<Record<(typeof SORTS)[number], Order>> = {
  self: (a, b) => descending(a.self, b.self) || descending(a.total, b.total),
  total: (a, b) => descending(a.total, b.total) || descending(a.self, b.self),
  growth: (a, b) => descending(a.self - a.baseSelf, b.self - b.baseSelf),
};

/** Values are text: they have 64 bits. Those of what is compared are scaled as the comparison is. */
function functionJson(
  { frame, self, total, baseSelf, baseTotal }: FunctionTotals,
  whole: bigint,
  baseWhole: bigint | null,
) {
  return {
    name: frame.name,
    file: frame.file,
    module: frame.module,
    line: frame.line,
    isInApp: frame.isInApp,
    self: String(self),
    total: String(total),
    selfShare: share(self, whole),
    totalShare: share(total, whole),
    ...baseWhole !== null && { baseSelf: String(baseSelf), baseTotal: String(baseTotal) },
  };
}

function share(part: bigint, whole: bigint): number {
  return whole === 0n ? 0 : Number(part) / Number(whole);
}

function readTopLimit(text: string | null): number {
  const asked = Math.trunc(Number(text ?? LIMIT.default));
  return asked >= 1 ? Math.min(asked, LIMIT.max) : LIMIT.default;
}

/** The profiles of a project, newest first, or by `sort`: `longest`, `largest`. */
export async function profileListReply(ctx: ApiContext, access: ProjectAccess): Promise<Response> {
  const { searchParams: search } = ctx.url;
  const sort = readWord(search, "sort", PROFILE_ORDERS);
  const cursor = search.get("cursor") || null;
  // Else a script that goes on with a damaged cursor would read the first page for ever.
  if (cursor !== null && readProfileCursor(cursor, sort) === null) {
    throw ApiError.detail(400, "Invalid cursor: take it from a Link header");
  }
  const limit = readLimit(search.get("limit") ?? search.get("per_page"));
  const query = readProfileQuery(ctx, access);
  const page = await listProfiles(ctx.state.services.sql, query, { cursor, limit, sort });
  return listReply(ctx, page.rows.map(profileJson), page);
}

/** What the index tells of one profile. */
export async function profileReply(ctx: ApiContext, access: ProjectAccess): Promise<Response> {
  return Response.json(profileJson(await requireProfile(ctx, access)));
}

/** One profile as it is stored: pprof, compressed by gzip as pprof files are. */
export async function pprofReply(ctx: ApiContext, access: ProjectAccess): Promise<Response> {
  const row = await requireProfile(ctx, access);
  const bytes = await readPprofBytes(ctx.state.services.objects, row);
  if (bytes === null) throw ApiError.detail(404, "The bytes of this profile are gone");
  const { service, kind, timestamp, totals } = row;
  const type = totals.at(-1);
  return download(bytes, "application/octet-stream", {
    service,
    type: type === undefined ? kind : typeId(type),
    time: timestamp,
    ending: "pb.gz",
  });
}

/** Also for profiles that exist where the actor may not look. @throws {ApiError} 404 */
async function requireProfile(ctx: ApiContext, { project }: ProjectAccess): Promise<ProfileRow> {
  const id = hexDigits(ctx.params.profile ?? "", 32);
  const row = id === null ? null : await findProfile(ctx.state.services.sql, project.id, id);
  if (row === null) throw ApiError.detail(404, "Profile not found");
  return row;
}

/** What the index tells of a profile, as JSON. Totals and period are text: they have 64 bits. */
function profileJson(row: ProfileRow) {
  const { profileId, timestamp, durationMs, period, totals, ...rest } = row;
  const { sizeBytes, blobKey: _, originalKey, ...facts } = rest;
  return {
    id: profileId,
    start: timestamp,
    duration: rounded(durationMs),
    ...facts,
    period: String(period),
    values: totals.map(({ type, unit, total }) => (
      { id: typeId({ type, unit }), type, unit, total: String(total) }
    )),
    size: sizeBytes,
    hasOriginal: originalKey !== "",
  };
}

/** Ends an answer that nobody waits for any longer without an error in the log. */
async function unlessGone(req: Request, work: Promise<Response>): Promise<Response> {
  try {
    return await work;
  } catch (error) {
    // 499 is what nginx writes then.
    if (req.signal.aborted) return new Response(null, { status: 499 });
    throw error;
  }
}
