/** Applies uploaded source maps and ProGuard mappings to events. */
import type { Logger } from "../../core/log.ts";
import type { NormalizedEvent } from "../../formats/sentry/normalized_event.ts";
import type { Sql } from "../../store/database.ts";
import type { ObjectStore } from "../../store/objects/store.ts";
import { type Artifact, touchArtifacts } from "../artifacts/lookup.ts";
import { asSent, proguardIds } from "../proguard/deobfuscate.ts";
import { openJvmNamer } from "../proguard/name_event.ts";
import { type GeneratedFile, mayNeedSourceMaps } from "./event_frames.ts";
import { ExpiringMap } from "./expiring_map.ts";
import type { Place } from "./look_up.ts";
import { type FileAnswer, type FileQuery, mapEvent, type MappedEvent } from "./map_event.ts";
import type { Inspection } from "./minified_file.ts";
import { problem } from "./problems.ts";
import { type Build, type FoundMap, type Resolution, resolveMaps } from "./resolve.ts";
import { openTables, type Table, tableKeys } from "./tables.ts";
import { type Thread, thread } from "./threads.ts";
import { withUploadedSources } from "./uploaded_sources.ts";
import type { Wanted } from "./worker.ts";

export interface SourceMapper {
  /** Maps the frames of an event of a project; never changes the event that is given. */
  map(projectId: string, event: NormalizedEvent): Promise<MappedEvent>;
  /** Which map each file has, and why others have none: for pages. Compiles nothing. */
  explain(build: Build, files: readonly GeneratedFile[]): Promise<readonly Resolution[]>;
  /** Whether anything was uploaded to a project; remembered for some seconds. */
  hasMaps(projectId: string): boolean | Promise<boolean>;
  /** Makes the tables of an upload's largest maps, so that the first event of a build need not wait for them. */
  prepare(projectId: string, bundleId: string, stopping: AbortSignal): Promise<void>;
  /** What was found out of a project holds no more: something was uploaded to it. */
  forget(projectId: string): void;
  close(): void;
}

interface Stores {
  readonly sql: Sql;
  readonly objects: ObjectStore;
  readonly log: Pick<Logger, "warn">;
}

/** A map of 50 MB takes some seconds on a slow machine. */
const COMPILER = { limitMs: 60_000, idleMs: 10_000 };
const READER = { limitMs: 30_000, idleMs: 300_000 };

const KNOWN_MS = 60_000;
/** What was missing may come at any time. */
const MISSING_MS = 5_000;
const REMEMBERED = 5_000;
/** Of one upload: the others are read when an event needs them. */
const PREPARED = 30;

/** Opens the mapper. Its threads start with the first map. */
export function openSourceMapper({ sql, objects, log }: Stores): SourceMapper {
  const compiler = thread({ log, ...COMPILER });
  const reader = thread({ log, ...READER });
  const jvm = openJvmNamer({ sql, objects, log });
  const tables = openTables(objects, compiler, log);
  const projects = new ExpiringMap<boolean>(REMEMBERED);
  const resolutions = new ExpiringMap<Resolution>(REMEMBERED);
  const used = new ExpiringMap<true>(REMEMBERED);

  async function inspect({ objectKey, sizeBytes }: Artifact): Promise<Inspection | null> {
    const packed = await objects.get(objectKey);
    if (packed === null) return null;
    return await compiler.run("inspect", { file: { packed, sizeBytes } });
  }

  async function explain(
    build: Build,
    files: readonly GeneratedFile[],
  ): Promise<readonly Resolution[]> {
    const keyOf = ({ path, debugId }: GeneratedFile) =>
      [build.projectId, build.release, build.dist, debugId, path].join("\n");
    const known = files.map((file) => resolutions.get(keyOf(file)));
    const unknown = files.filter((_, index) => known[index] === undefined);
    const found = unknown.length === 0 ? [] : await resolveMaps({ sql, inspect }, build, unknown);
    for (const [index, file] of unknown.entries()) {
      const resolution = found[index];
      if (resolution === undefined) continue;
      resolutions.set(keyOf(file), resolution, "problem" in resolution ? MISSING_MS : KNOWN_MS);
    }
    let next = 0;
    return known.map((resolution) =>
      resolution ?? found[next++] ?? { problem: problem("unavailable", "It was not looked for.") }
    );
  }

  async function answer(build: Build, files: readonly FileQuery[]): Promise<FileAnswer[]> {
    const resolved = await explain(build, files);
    const looked = await lookUpAll(
      { reader, tables },
      files.flatMap(({ positions }, index) => {
        const found = resolved[index];
        return found === undefined || "problem" in found ? [] : [{ found, positions }];
      }),
    );
    let next = 0;
    const answers = resolved.map((found): FileAnswer => {
      if ("problem" in found) return found;
      const places = looked[next++];
      if (places === undefined) return { problem: problem("unavailable", "It was not looked up.") };
      if ("problem" in places) return places;
      const { mapUrl, resolvedWith } = found;
      return { mapUrl, resolvedWith, places };
    });
    await note(build.projectId, resolved);
    return await withUploadedSources({ sql, objects }, build, answers);
  }

  /** Bundles that help are kept. */
  async function note(projectId: string, resolved: readonly Resolution[]): Promise<void> {
    const bundles = resolved.flatMap((each) => "problem" in each ? [] : [each.artifact.bundleId]);
    await touch(projectId, bundles);
  }

  async function touch(projectId: string, bundles: readonly string[]): Promise<void> {
    const now = new Date();
    const day = now.toISOString().slice(0, 10);
    const fresh = [...new Set(bundles)].filter((id) =>
      used.get(`${projectId}/${id}/${day}`) === undefined
    );
    if (fresh.length === 0) return;
    for (const id of fresh) used.set(`${projectId}/${id}/${day}`, true, 24 * 3_600_000);
    await touchArtifacts(sql, projectId, fresh, now);
  }

  async function findMaps(projectId: string): Promise<boolean> {
    const [row] = await sql`
      select from artifact_bundles where project_id = ${projectId} limit 1
    `;
    projects.set(projectId, row !== undefined, row === undefined ? MISSING_MS : KNOWN_MS);
    return row !== undefined;
  }

  return {
    explain,
    async map(projectId, event) {
      const build = { projectId, release: event.release ?? "", dist: event.dist ?? "" };
      const isJvm = proguardIds(event).length > 0;
      const sent = isJvm ? asSent(event) : event;
      const mapped = mayNeedSourceMaps(event)
        ? await mapEvent(sent, (files) => answer(build, files))
        : { event: sent, mappedFrames: 0, unmapped: [] };
      if (!isJvm) return mapped;
      const { bundleIds, ...named } = await jvm.name(projectId, mapped.event);
      await touch(projectId, bundleIds);
      return {
        event: named.event,
        mappedFrames: mapped.mappedFrames + named.mappedFrames,
        unmapped: [...mapped.unmapped, ...named.unmapped],
      };
    },
    hasMaps: (projectId) => projects.get(projectId) ?? findMaps(projectId),
    async prepare(projectId, bundleId, stopping) {
      const scripts = await sql<(GeneratedFile & Pick<Build, "release" | "dist">)[]>`
        select url as path, replace(debug_id::text, '-', '') as "debugId", release, dist
        from artifacts
        where project_id = ${projectId} and bundle_id = ${bundleId} and type = 'minified_source'
        order by size_bytes desc limit ${PREPARED}
      `;
      const [first] = scripts;
      if (first === undefined) return;
      const { release, dist } = first;
      for (const found of await explain({ projectId, release, dist }, scripts)) {
        if (stopping.aborted) return;
        if (!("problem" in found)) await tables.get(found);
      }
    },
    forget(projectId) {
      projects.delete(projectId);
      resolutions.deleteStarting(`${projectId}\n`);
      jvm.forget(projectId);
    },
    close() {
      compiler.close();
      reader.close();
      jvm.close();
    },
  };
}

interface Question {
  readonly found: FoundMap;
  readonly positions: FileQuery["positions"];
}

type Looked = readonly (Place | null)[] | Extract<Table, { problem: unknown }>;

/** Asks the thread for what it has open, and then again with the tables that it does not have. */
async function lookUpAll(
  { reader, tables }: { readonly reader: Thread; readonly tables: ReturnType<typeof openTables> },
  questions: readonly Question[],
): Promise<Looked[]> {
  if (questions.length === 0) return [];
  const keyOf = ({ found }: Question) => {
    // The same map is opened apart with and without the functions of its minified file.
    const { table } = tableKeys(found.artifact.objectKey);
    return found.minified === null ? table : `${table} ${found.minified.objectKey}`;
  };
  const wanted = (question: Question, bytes: Wanted["bytes"]): Wanted => ({
    key: keyOf(question),
    bytes,
    positions: question.positions,
  });
  const { files } = await reader.run("lookUp", {
    files: questions.map((question) => wanted(question, null)),
  });
  return await Promise.all(questions.map(async (question, index): Promise<Looked> => {
    const places = files[index];
    if (places) return places;
    const table = await tables.get(question.found);
    if ("problem" in table) return table;
    const again = await reader.run("lookUp", { files: [wanted(question, table)] });
    return again.files[0] ?? [];
  }));
}
