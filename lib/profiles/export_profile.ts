import { HttpError } from "fresh";
import type { ObjectStore } from "../store/objects/store.ts";
import { timeOrderSpeedscope } from "./exports/speedscope.ts";
import { disposition } from "../ui/downloads.ts";
import type { ExportLink } from "../ui/flamegraph/settings.ts";
import { exportLinks, exportName, exportResponse, readExportFormat } from "./export.ts";
import type { Params } from "./params.ts";
import { queryHref } from "../ui/links_profiles.ts";
import { isReshaped, shapeParams } from "./shape.ts";
import { valueName } from "./words.ts";
import { type LoadedProfile, partParams } from "./profile/load_profile.ts";
import { isPartial } from "./profile_part.ts";
import { stacksOf } from "./profile/read_part.ts";

/** Whatever a client sent is saved, and never shown or run. */
const SAVED = {
  "content-type": "application/octet-stream",
  "content-security-policy": "default-src 'none'; sandbox",
  "cache-control": "private, no-cache",
  "x-content-type-options": "nosniff",
};

const GONE = "The bytes of this profile are gone: it has expired, or was removed.";
const NO_FORMAT = "Profiles can be had as stored, original, pprof, collapsed, speedscope or svg.";

/** Links of the export menu: what the graph shows, and what is stored. */
export function profileExports(loaded: LoadedProfile, path: string): ExportLink[] {
  const params: Params = [...partParams(loaded), ...shapeParams(loaded.params.shape)];
  const stored = (label: string, format: string): ExportLink => ({
    label,
    href: queryHref(path, [["format", format]]),
  });
  return [
    stored("pprof, as stored", "stored"),
    ...loaded.row.originalKey === "" ? [] : [stored("As the SDK sent it (JSON)", "original")],
    ...exportLinks(path, params).map((link) =>
      link.href.endsWith("format=pprof") ? { ...link, label: "pprof, these samples" } : link
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
  if (known === null) throw new HttpError(400, NO_FORMAT);
  if (graph === null) throw new HttpError(404, GONE);
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
  const name = graph === null ? "Profile" : valueName(row.kind, graph.type);
  const owner = row.service || row.transaction;
  return owner === "" ? name : `${name} of ${owner}`;
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
  if (bytes === null) throw new HttpError(404, GONE);
  return new Response(new Uint8Array(bytes), {
    headers: { ...SAVED, "content-disposition": disposition(name) },
  });
}

function nameOf({ row, graph }: LoadedProfile): string {
  return exportName(row.service, graph?.type ?? { type: row.kind, unit: "" }, row.timestamp);
}
