import type { ProjectAccess } from "../../accounts/authorize.ts";
import { flamePayload } from "../trees/flame_payload.ts";
import { sandwich } from "../trees/reshape.ts";
import type { CallTree } from "../trees/stack_profile.ts";
import { Turns } from "../../core/turns.ts";
import type { ApiContext } from "../../api/api.ts";
import { ApiError } from "../../api/api_error.ts";
import { unlessGone } from "./client_gone.ts";
import { EXPORT_FORMATS, exportReply } from "./exports.ts";
import { mergedJson, readMerged, treeOf } from "./merged.ts";
import { readWord } from "./read_query.ts";
import { filteredBy, readView, shapedBy } from "./read_view.ts";

const MAX_DEPTH = 2_048;

/**
 * The merged flame graph of a selection of profiles, or of two of them. With `query` who calls such functions and what
 * they call; with `path` what is below one node; with `format` a file for another tool.
 */
export function flamegraphReply(ctx: ApiContext, access: ProjectAccess): Promise<Response> {
  return unlessGone(ctx.req, reply(ctx, access));
}

async function reply(ctx: ApiContext, access: ProjectAccess): Promise<Response> {
  const { searchParams: search } = ctx.url;
  const format = readWord(search, "format", ["json", ...EXPORT_FORMATS]);
  const view = readView(search);
  const path = readPath(search.get("path") ?? "");
  const request = await readMerged(ctx, access);
  if (format !== "json") return await exportReply(request, view, format);
  const turns = new Turns();
  const merged = treeOf(request);
  await turns.breathe();
  const tree = filteredBy(merged, view);
  await turns.breathe();
  const platform = request.platform || undefined;
  const payload = async (part: CallTree) => {
    const shaped = shapedBy(part, view);
    await turns.breathe();
    return flamePayload(shaped, { path, platform });
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
