import { type Message, message, t } from "../core/language/translate.ts";
import { type Params, queryHref } from "../ui/links.ts";
import { HttpError } from "fresh";
import { gzipSync } from "node:zlib";
import type { ValueType } from "../formats/pprof/profile.ts";
import type { ObjectStore } from "../store/objects/store.ts";
import { disposition } from "../ui/downloads.ts";
import type { FlameData } from "../ui/flamegraph/flame_tree.ts";
import { readPath } from "../ui/flamegraph/path.ts";
import type { ExportLink } from "../ui/flamegraph/settings.ts";
import {
  averaged,
  EXPORT_FILES,
  type ExportFormat,
  ExportTooLarge,
  type StackHead,
  timeOrderSpeedscope,
  toPprof,
  writeTree,
} from "./exports/stack_files.ts";
import { shapeParams } from "./params.ts";
import { isPartial } from "./profile_part.ts";
import { type LoadedProfile, partParams } from "./profile/load_profile.ts";
import { stacksOf } from "./profile/read_part.ts";
import { flamePayload } from "./trees/flame_payload.ts";
import { isReshaped } from "./trees/reshape.ts";
import type { CallTree, DiffTree, StackProfile } from "./trees/stacks.ts";
import { valueName } from "./words.ts";

/** The graph as the page draws it, or what is below the path that its address names. */
export function graphData(
  tree: CallTree | DiffTree,
  path: string | null,
  platform: string | undefined,
): FlameData {
  return flamePayload(tree, { path: readPath(path), platform });
}

/** Answers the script of a graph with `FlameData`: the whole, or what is below `path`. */
export function graphResponse(
  tree: CallTree | DiffTree,
  query: URLSearchParams,
  platform: string | undefined,
): Response {
  return jsonResponse(graphData(tree, query.get("path"), platform));
}

/** Nobody else may keep it, and nothing may take it for something else. */
const PRIVATE = { "cache-control": "private, no-cache", "x-content-type-options": "nosniff" };

/** Answers a page's script in JSON. */
export function jsonResponse(body: unknown, status = 200): Response {
  return Response.json(body, { status, headers: PRIVATE });
}

export const EXPORT_FORMATS = Object.keys(EXPORT_FILES) as ExportFormat[];

const LABELS: Readonly<Record<ExportFormat, Message>> = {
  pprof: "pprof, all stacks",
  collapsed: "Collapsed stacks",
  speedscope: "speedscope JSON",
  svg: "Picture (SVG)",
};

/** Reads a format out of an address; null for what is none. */
export function readExportFormat(text: string | null): ExportFormat | null {
  return EXPORT_FORMATS.find((format) => format === text) ?? null;
}

/**
 * Links of a graph's export menu.
 *
 * @param path answers with the graph's download for `format`
 * @param params of the graph
 */
export function exportLinks(
  path: string,
  params: Params,
  formats: readonly ExportFormat[] = EXPORT_FORMATS,
): ExportLink[] {
  return formats.map((format) => ({
    label: t(LABELS[format]),
    href: queryHref(path, [...params, ["format", format]]),
  }));
}

/** Stacks with all their types. */
interface WholeStacks {
  readonly stacks: StackProfile;
  readonly head: StackHead;
  /** What all values are divided by, as those of the tree are. */
  readonly average: bigint;
}

interface Exported {
  /** Values of one type as the page shows them. */
  readonly tree: CallTree;
  /** All of them, for pprof; null: a comparison, of which there is no pprof. */
  readonly whole: WholeStacks | null;
  /** Of the file, without its ending. */
  readonly name: string;
  /** Stands above pictures. */
  readonly title: string;
}

/**
 * Answers with a graph as a file to be saved; with 400 and words when it would be too large.
 *
 * @throws {RangeError} for a pprof of a comparison
 */
export function exportResponse(format: ExportFormat, exported: Exported): Response {
  const { type, ending } = EXPORT_FILES[format];
  const name = exported.name.replace(/[^A-Za-z0-9._-]+/g, "-").slice(0, 100) || "profile";
  try {
    return new Response(bodyOf(format, exported), {
      headers: {
        ...PRIVATE,
        "content-type": type,
        "content-disposition": `attachment; filename="${name}.${ending}"`,
      },
    });
  } catch (error) {
    if (error instanceof ExportTooLarge) return jsonResponse({ detail: error.message }, 400);
    throw error;
  }
}

function bodyOf(format: ExportFormat, { tree, whole, title }: Exported): BodyInit {
  if (format !== "pprof") return writeTree(format, tree, title);
  if (whole === null) throw new RangeError("There is no pprof of a comparison");
  return new Uint8Array(gzipSync(toPprof(averaged(whole.stacks, whole.average), whole.head)));
}

/** `checkout-cpu-20261121T0805`: name of a file with values of a time. */
export function exportName(service: string, { type }: ValueType, start: Date): string {
  const time = start.toISOString().replace(/[-:]/g, "").slice(0, 13);
  return [service || "profiles", type, time].filter((part) => part !== "").join("-");
}

/** Whatever a client sent is saved, and never shown or run. */
const SAVED = {
  ...PRIVATE,
  "content-type": "application/octet-stream",
  "content-security-policy": "default-src 'none'; sandbox",
};

const GONE = message("The bytes of this profile are gone: it has expired, or was removed.");
const NO_FORMAT = message(
  "Profiles can be had as stored, original, pprof, collapsed, speedscope or svg.",
);

/** Links of the export menu: what the graph shows, and what is stored. */
export function profileExports(loaded: LoadedProfile, path: string): ExportLink[] {
  const params: Params = [...partParams(loaded), ...shapeParams(loaded.params.shape)];
  const stored = (label: string, format: string): ExportLink => ({
    label,
    href: queryHref(path, [["format", format]]),
  });
  return [
    stored(t("pprof, as stored"), "stored"),
    ...loaded.row.originalKey === "" ? [] : [stored(t("As the SDK sent it (JSON)"), "original")],
    ...exportLinks(path, params).map((link) =>
      link.href.endsWith("format=pprof") ? { ...link, label: t("pprof, these samples") } : link
    ),
  ];
}

/**
 * Answers with a profile as a file.
 *
 * @throws {HttpError} 400 for a format that there is not, 404 when its bytes are gone
 */
export async function exportProfile(
  objects: Pick<ObjectStore, "get">,
  loaded: LoadedProfile,
  format: string | null,
): Promise<Response> {
  const { row, graph } = loaded;
  if (format === "stored") return await saved(objects, row.blobKey, `${nameOf(loaded)}.pb.gz`);
  if (format === "original") {
    return await saved(objects, row.originalKey, `${nameOf(loaded)}.sentry.json.gz`);
  }
  const known = readExportFormat(format);
  if (known === null) throw new HttpError(400, t(NO_FORMAT));
  if (graph === null) throw new HttpError(404, t(GONE));
  const timed = known === "speedscope" ? inOrderOfTime(loaded) : null;
  if (timed !== null) {
    return new Response(timed, {
      headers: {
        ...SAVED,
        "content-type": "application/json",
        "content-disposition": disposition(`${nameOf(loaded)}.speedscope.json`),
      },
    });
  }
  const [first] = loaded.read.pieces;
  return exportResponse(known, {
    tree: graph.treeOf(null),
    whole: known !== "pprof" ? null : {
      stacks: stacksOf(loaded.read),
      head: {
        timeNanos: first?.profile.timeNanos ?? 0n,
        ...first?.profile.periodType && {
          periodType: first.profile.periodType,
          period: first.profile.period,
        },
        defaultSampleType: graph.type.type,
      },
      average: 1n,
    },
    name: nameOf(loaded),
    title: titleOf(loaded),
  });
}

/** What a graph of a profile is called, after its service or else its transaction: `CPU time of checkout`. */
export function titleOf({ row, graph }: Pick<LoadedProfile, "row" | "graph">): string {
  const name = graph === null ? t("Profile") : valueName(row.kind, graph.type);
  const owner = row.service || row.transaction;
  return owner === "" ? name : t("{values} of {service}", { values: name, service: owner });
}

/** A whole profile whose samples tell their time, as it went; null for others. */
function inOrderOfTime(loaded: LoadedProfile): string | null {
  const { read, graph, params } = loaded;
  const [only, ...others] = read.pieces;
  if (graph === null || only === undefined || others.length > 0) return null;
  if (!read.isTimed || isPartial(read.part) || isReshaped(params.shape)) return null;
  return timeOrderSpeedscope(only.profile, graph.type, titleOf(loaded));
}

async function saved(objects: Pick<ObjectStore, "get">, key: string, name: string) {
  const bytes = key === "" ? null : await objects.get(key);
  if (bytes === null) throw new HttpError(404, t(GONE));
  return new Response(new Uint8Array(bytes), {
    headers: { ...SAVED, "content-disposition": disposition(name) },
  });
}

function nameOf({ row, graph }: LoadedProfile): string {
  return exportName(row.service, graph?.type ?? { type: row.kind, unit: "" }, row.timestamp);
}
