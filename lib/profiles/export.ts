/** Downloads of graphs. */
import { gzipSync } from "node:zlib";
import type { ValueType } from "../formats/pprof/profile.ts";
import { toCollapsed } from "./exports/collapsed.ts";
import { ExportTooLarge } from "./exports/export_size.ts";
import { type StackHead, toPprof } from "./exports/pprof.ts";
import { toSpeedscope } from "./exports/speedscope.ts";
import { toSvg } from "./exports/svg.ts";
import { sharedOut } from "./trees/shared_out.ts";
import type { CallTree, StackProfile } from "./trees/stack_profile.ts";
import type { ExportLink } from "../ui/flamegraph/settings.ts";
import { jsonResponse } from "./graph_answer.ts";
import type { Params } from "./params.ts";
import { queryHref } from "../ui/links_profiles.ts";

export const EXPORT_FORMATS = ["pprof", "collapsed", "speedscope", "svg"] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

const LABELS: Readonly<Record<ExportFormat, string>> = {
  pprof: "pprof, all stacks",
  collapsed: "Collapsed stacks",
  speedscope: "speedscope JSON",
  svg: "Picture (SVG)",
};

const FILES: Readonly<Record<ExportFormat, { readonly type: string; readonly ending: string }>> = {
  pprof: { type: "application/octet-stream", ending: "pb.gz" },
  collapsed: { type: "text/plain; charset=utf-8", ending: "collapsed.txt" },
  speedscope: { type: "application/json", ending: "speedscope.json" },
  svg: { type: "image/svg+xml", ending: "svg" },
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
    label: LABELS[format],
    href: queryHref(path, [...params, ["format", format]]),
  }));
}

/** Stacks with all their types. */
export interface WholeStacks {
  readonly stacks: StackProfile;
  readonly head: StackHead;
  /** What all values are divided by, as those of the tree are. */
  readonly average: bigint;
}

export interface Exported {
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
  const { type, ending } = FILES[format];
  const body = boundedBody(format, exported);
  if (body instanceof ExportTooLarge) return jsonResponse({ detail: body.message }, 400);
  const name = exported.name.replace(/[^A-Za-z0-9._-]+/g, "-").slice(0, 100) || "profile";
  return new Response(body, {
    headers: {
      "content-type": type,
      "content-disposition": `attachment; filename="${name}.${ending}"`,
      "cache-control": "private, no-cache",
      "x-content-type-options": "nosniff",
    },
  });
}

function boundedBody(format: ExportFormat, exported: Exported): BodyInit | ExportTooLarge {
  try {
    return bodyOf(format, exported);
  } catch (error) {
    if (error instanceof ExportTooLarge) return error;
    throw error;
  }
}

function bodyOf(
  format: ExportFormat,
  { tree, whole, title }: Exported,
): BodyInit {
  switch (format) {
    case "pprof":
      if (whole === null) throw new RangeError("There is no pprof of a comparison");
      return new Uint8Array(gzipSync(toPprof(averaged(whole), whole.head)));
    case "collapsed":
      return toCollapsed(tree);
    case "speedscope":
      return toSpeedscope(tree, title);
    case "svg":
      return toSvg(tree, title);
  }
}

/** Stacks whose values are divided as those of the graph are. */
function averaged({ stacks, average }: WholeStacks): StackProfile {
  if (average === 1n) return stacks;
  return { ...stacks, selfs: stacks.selfs.map((column) => sharedOut(column, 1n, average)) };
}

/** `checkout-cpu-20261121T0805`: name of a file with values of a time. */
export function exportName(service: string, { type }: ValueType, start: Date): string {
  const time = start.toISOString().replace(/[-:]/g, "").slice(0, 13);
  return [service || "profiles", type, time].filter((part) => part !== "").join("-");
}
