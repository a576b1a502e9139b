import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { typeId } from "../../formats/pprof/sample_types.ts";
import { toCollapsed } from "../exports/collapsed.ts";
import { ExportTooLarge } from "../exports/export_size.ts";
import { toPprof } from "../exports/pprof.ts";
import { toSpeedscope } from "../exports/speedscope.ts";
import { toSvg } from "../exports/svg.ts";
import { sharedOut } from "../trees/shared_out.ts";
import type { CallTree, DiffTree, StackProfile } from "../trees/stack_profile.ts";
import { Turns } from "../../core/turns.ts";
import { ApiError } from "../../api/api_error.ts";
import { download } from "./download.ts";
import { type MergedRequest, treeOf } from "./merged.ts";
import { filteredBy, isChanged, shapedBy, type TreeView } from "./read_view.ts";

const compressed = promisify(gzip);

export const EXPORT_FORMATS = ["collapsed", "speedscope", "pprof", "svg"] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/**
 * What was merged as a file that other tools open. A comparison is a picture only.
 *
 * @throws {ApiError} 400 for a comparison in another format, and for more stacks than a file holds
 */
export async function exportReply(
  request: MergedRequest,
  view: TreeView,
  format: ExportFormat,
): Promise<Response> {
  try {
    return await fileOf(request, view, format);
  } catch (error) {
    if (error instanceof ExportTooLarge) throw ApiError.detail(400, error.message);
    throw error;
  }
}

async function fileOf(
  request: MergedRequest,
  view: TreeView,
  format: ExportFormat,
): Promise<Response> {
  const { selection, base } = request;
  if (base !== null && format !== "svg") {
    throw ApiError.detail(400, `Format ${format} cannot hold a comparison: write svg`);
  }
  const { services, start, end } = selection;
  const facts = {
    service: services.length === 1 ? services[0] ?? "" : "",
    type: typeId(selection.type),
    time: start,
  };
  const time = `${start.toISOString()} to ${end.toISOString()}`;
  const title = `${facts.service || "All services"}: ${selection.type.type}, ${time}`;
  if (format === "pprof") {
    const bytes = await compressed(await pprofOf(request, view));
    return download(bytes, "application/octet-stream", { ...facts, ending: "pb.gz" });
  }
  const tree = await viewOf(request, view);
  switch (format) {
    case "collapsed":
      return download(toCollapsed(tree), "text/plain; charset=utf-8", {
        ...facts,
        ending: "collapsed.txt",
      });
    case "speedscope":
      return download(toSpeedscope(tree, title), "application/json", {
        ...facts,
        ending: "speedscope.json",
      });
    case "svg":
      return download(toSvg(tree, title), "image/svg+xml", { ...facts, ending: "svg" });
  }
}

/** All types of the profiles; of a view that leaves functions out, or turns them round, the one that it is of. */
async function pprofOf(request: MergedRequest, view: TreeView): Promise<Uint8Array> {
  const { selection, merged: { stacks, average } } = request;
  const averaged = {
    ...stacks,
    selfs: stacks.selfs.map((column) => sharedOut(column, 1n, average)),
  };
  const shown = isChanged(view) ? stacksOf(await viewOf(request, view), stacks) : averaged;
  return toPprof(shown, {
    timeNanos: BigInt(selection.start.getTime()) * 1_000_000n,
    defaultSampleType: selection.type.type,
  });
}

/** The tree as it is looked at. Others get their turn between two steps, each of which may take its time. */
async function viewOf(request: MergedRequest, view: TreeView): Promise<CallTree | DiffTree> {
  const turns = new Turns();
  const tree = treeOf(request);
  await turns.breathe();
  const chosen = filteredBy(tree, view);
  await turns.breathe();
  const shaped = shapedBy(chosen, view);
  await turns.breathe();
  return shaped;
}

function stacksOf(
  { type, frames, parents, nodeFrames, selfs }: CallTree,
  { profiles, durationNanos }: StackProfile,
): StackProfile {
  return { types: [type], frames, parents, nodeFrames, selfs: [selfs], profiles, durationNanos };
}
