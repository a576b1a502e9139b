import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { ApiError } from "../../api/route.ts";
import { Turns } from "../../core/waiting.ts";
import { typeId } from "../../formats/pprof/sample_types.ts";
import {
  averaged,
  EXPORT_FILES,
  type ExportFormat,
  ExportTooLarge,
  toPprof,
  writeTree,
} from "../exports/stack_files.ts";
import { drawn, filtered, isReshaped } from "../trees/reshape.ts";
import type { CallTree, DiffTree, StackProfile } from "../trees/stacks.ts";
import { type MergedRequest, treeOf, type TreeView } from "./requests.ts";

const compressed = promisify(gzip);

export const EXPORT_FORMATS: readonly ExportFormat[] = ["collapsed", "speedscope", "pprof", "svg"];

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
  const service = services.length === 1 ? services[0] ?? "" : "";
  const time = `${start.toISOString()} to ${end.toISOString()}`;
  const title = `${service || "All services"}: ${selection.type.type}, ${time}`;
  const body = format === "pprof"
    ? await compressed(await pprofOf(request, view))
    : writeTree(format, await viewOf(request, view), title);
  const { type, ending } = EXPORT_FILES[format];
  return download(body, type, { service, type: typeId(selection.type), time: start, ending });
}

/** All types of the profiles; of a view that leaves functions out, or turns them round, the one that it is of. */
async function pprofOf(request: MergedRequest, view: TreeView): Promise<Uint8Array> {
  const { selection, merged: { stacks, average } } = request;
  const shown = isReshaped(view)
    ? stacksOf(await viewOf(request, view), stacks)
    : averaged(stacks, average);
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
  const chosen = filtered(tree, view);
  await turns.breathe();
  const shown = drawn(chosen, view);
  await turns.breathe();
  return shown;
}

function stacksOf(
  { type, frames, parents, nodeFrames, selfs }: CallTree,
  { profiles, durationNanos }: StackProfile,
): StackProfile {
  return { types: [type], frames, parents, nodeFrames, selfs: [selfs], profiles, durationNanos };
}

/** What a file is called after. */
interface FileFacts {
  /** May be `""`. */
  readonly service: string;
  /** As `cpu:nanoseconds`. */
  readonly type: string;
  readonly time: Date;
  /** Without its dot. */
  readonly ending: string;
}

/** What is in files comes from anybody: opened all the same, it shall run nothing, and not be taken for something else. */
const SAFETY = {
  "x-content-type-options": "nosniff",
  "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox",
  "cache-control": "private, no-cache",
} as const;

/** A file to be saved, as `checkout-cpu-20261120T101500Z.pb.gz`. */
export function download(
  body: Uint8Array | string,
  contentType: string,
  facts: FileFacts,
): Response {
  const bytes = typeof body === "string" ? body : new Uint8Array(body);
  return new Response(bytes, {
    headers: {
      ...SAFETY,
      "content-type": contentType,
      "content-disposition": `attachment; filename="${fileName(facts)}"`,
    },
  });
}

function fileName({ service, type, time, ending }: FileFacts): string {
  const seconds = time.toISOString().replace(/\.\d+/, "").replaceAll(/[-:]/g, "");
  const [name = ""] = type.split(":");
  const parts = [plain(service) || "profile", plain(name) || "values", seconds];
  return `${parts.join("-")}.${ending}`;
}

/** What all systems allow in names, and no header needs quotes for. */
function plain(text: string): string {
  return text.replaceAll(/[^\w.]+/g, "-").replaceAll(/^[-.]+|[-.]+$/g, "").slice(0, 80);
}
