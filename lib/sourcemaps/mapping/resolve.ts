/** Finds the uploaded map of a generated file: by its debug id, else by release, dist and URL. */
import type { Sql } from "../../store/database.ts";
import { storable } from "../../core/errors.ts";
import { type Artifact, findArtifacts } from "../artifacts/lookup.ts";
import { hyphenated } from "../artifacts/debug_ids.ts";
import type { GeneratedFile } from "./event_frames.ts";
import type { Inspection } from "./minified_file.ts";
import { type Problem, problem } from "./problems.ts";
import { joined, urlCandidates } from "./source_names.ts";

/** What the files of an event were built as; `""` for none. */
export interface Build {
  readonly projectId: string;
  readonly release: string;
  readonly dist: string;
}

/** An uploaded map that belongs to a file. */
export interface FoundMap {
  /** The map, or the minified file that it is inside of. */
  readonly artifact: Artifact;
  readonly isInline: boolean;
  /** Null when only the map was uploaded. */
  readonly minified: Artifact | null;
  /** Where the map would be, for sources that are named relative to it. */
  readonly mapUrl: string;
  readonly resolvedWith: "debug-id" | "release";
}

export type Resolution = FoundMap | { readonly problem: Problem };

interface Resolver {
  readonly sql: Sql;
  /** Reads what a minified file says of its map; null when it cannot be read. */
  readonly inspect: (file: Artifact) => Promise<Inspection | null>;
}

/** The maps of generated files, in the order of the files. */
export async function resolveMaps(
  resolver: Resolver,
  build: Build,
  files: readonly GeneratedFile[],
): Promise<Resolution[]> {
  const ids = files.flatMap(({ debugId }) => debugId ?? []);
  const byId = ids.length === 0
    ? []
    : await findArtifacts(resolver.sql, build.projectId, { debugIds: ids });
  const found = await Promise.all(files.map((file) => byDebugId(resolver, file, byId)));
  const rest = files.filter((_, index) => found[index] === null);
  const urls = build.release === "" ? [] : rest.flatMap(({ path }) => wantedUrls(path));
  const byUrl = urls.length === 0 ? [] : await findArtifacts(resolver.sql, build.projectId, {
    release: build.release,
    dist: build.dist,
    urls,
  });
  return await Promise.all(
    files.map(async (file, index) => found[index] ?? await byRelease(resolver, build, file, byUrl)),
  );
}

async function byDebugId(
  resolver: Resolver,
  { path, debugId }: GeneratedFile,
  artifacts: readonly Artifact[],
): Promise<Resolution | null> {
  const own = artifacts.filter((artifact) => artifact.debugId === debugId);
  const map = own.find(({ type }) => type === "source_map");
  const isCode = ({ type }: Artifact) => type === "minified_source";
  if (map !== undefined) {
    const minified = own.find((each) => isCode(each) && each.bundleId === map.bundleId) ??
      own.find(isCode) ?? null;
    // What a plugin uploads has a name that was made up, which says nothing of where its sources are.
    return { artifact: map, isInline: false, minified, mapUrl: path, resolvedWith: "debug-id" };
  }
  const code = own.find(isCode);
  return code === undefined ? null : await mapOf(resolver, code, "debug-id");
}

/** Names that a file may have in a release, and its map when nothing else is there. */
function wantedUrls(path: string): string[] {
  const urls = urlCandidates(path);
  return [...urls, ...urls.map((url) => `${url}.map`)];
}

async function byRelease(
  resolver: Resolver,
  build: Build,
  file: GeneratedFile,
  artifacts: readonly Artifact[],
): Promise<Resolution> {
  const urls = urlCandidates(file.path);
  const code = newestOf(artifacts, "minified_source", urls) ??
    // Some tools upload minified files as sources.
    newestOf(artifacts, "source", urls);
  if (code !== undefined) return await mapOf(resolver, code, "release");
  const map = newestOf(artifacts, "source_map", urls.map((url) => `${url}.map`));
  if (map !== undefined) {
    const { url } = map;
    return { artifact: map, isInline: false, minified: null, mapUrl: url, resolvedWith: "release" };
  }
  return { problem: await whyNone(resolver.sql, build, file, urls) };
}

/** The one of the newest bundle; in a bundle, the one with the most exact name. */
function newestOf(
  artifacts: readonly Artifact[],
  type: Artifact["type"],
  urls: readonly string[],
): Artifact | undefined {
  const fitting = artifacts.filter((each) => each.type === type && urls.includes(each.url));
  const newest = fitting[0]?.bundleId;
  return fitting.filter(({ bundleId }) => bundleId === newest)
    .sort((a, b) => urls.indexOf(a.url) - urls.indexOf(b.url))[0];
}

/** The map that a minified file names. */
async function mapOf(
  { sql, inspect }: Resolver,
  code: Artifact,
  resolvedWith: FoundMap["resolvedWith"],
): Promise<Resolution> {
  const header = code.headers.sourcemap;
  const inside = header === undefined || header.startsWith("data:") ? await inspect(code) : null;
  if (inside?.isInline) {
    return { artifact: code, isInline: true, minified: code, mapUrl: code.url, resolvedWith };
  }
  const found = (artifact: Artifact): FoundMap => ({
    artifact,
    isInline: false,
    minified: code,
    mapUrl: resolvedWith === "debug-id" ? code.url : artifact.url,
    resolvedWith,
  });
  const debugIds = [code.debugId, inside?.debugId].filter((id) => typeof id === "string");
  const isMap = ({ type }: Artifact) => type === "source_map";
  if (debugIds.length > 0) {
    const byId = (await findArtifacts(sql, code.projectId, { debugIds })).find(isMap);
    if (byId !== undefined) return found(byId);
  }
  const reference = header ?? inside?.reference ?? null;
  // Where nothing is named, maps lie beside their files as a rule.
  const url = reference === null
    ? `${code.url}.map`
    : joined(code.url, reference.replace(/[?#].*$/, ""));
  const { release, dist } = code;
  const urls = urlCandidates(url);
  const byUrl = await findArtifacts(sql, code.projectId, { release, dist, urls });
  const map = byUrl.find((each) => isMap(each) && each.bundleId === code.bundleId) ??
    byUrl.find(isMap);
  if (map !== undefined) return found(map);
  return {
    problem: problem(
      "no_map_of_file",
      reference === null
        ? `${code.url} was uploaded without a source map: neither the file nor the upload names one.`
        : `${code.url} names the source map ${url}, which was not uploaded with it.`,
    ),
  };
}

/** Says what is missing in the words of who uploads. */
async function whyNone(
  sql: Sql,
  { projectId, release, dist }: Build,
  { debugId }: GeneratedFile,
  urls: readonly string[],
): Promise<Problem> {
  if (debugId !== null) {
    return problem(
      "no_map_for_debug_id",
      `No source map with debug id ${
        hyphenated(debugId)
      } was uploaded to this project: the build that is deployed is another one than the one that was uploaded.`,
    );
  }
  if (release === "") {
    return problem(
      "no_release",
      "The event has neither a debug id for this file nor a release, so there is nothing to find its source map by.",
    );
  }
  const url = urls.at(-1) ?? "";
  const others = await otherDists(sql, projectId, release, urls);
  const where = dist === "" ? `Release ${release}` : `Release ${release}, dist ${dist},`;
  if (others.length > 0) {
    const names = others.map((other) => other === "" ? "no dist" : `dist ${other}`).join(", ");
    return problem(
      "no_file_in_release",
      `${where} has no uploaded file ${url}; it was uploaded with ${names}. Both sides must name the same dist.`,
    );
  }
  return problem(
    "no_file_in_release",
    `${where} has no uploaded file ${url}. Upload it under this name, or inject debug ids before you deploy.`,
  );
}

async function otherDists(
  sql: Sql,
  projectId: string,
  release: string,
  urls: readonly string[],
): Promise<string[]> {
  const rows = await sql<{ dist: string }[]>`
    select distinct dist from artifacts
    where project_id = ${projectId} and release <> '' and release = ${storable(release)}
      and url = any(${urls.map(storable)}::text[])
    limit 5
  `;
  return rows.map(({ dist }) => dist);
}
