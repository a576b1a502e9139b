/**
 * What was uploaded, for those who need it: finding files by debug id or by release and URL, reading them, noting that they
 * were of use, and hearing of bundles that have come since.
 */
import { storable } from "../../core/errors.ts";
import { dayOf } from "../../store/query_limits.ts";
import type { Sql } from "../../store/database.ts";
import type { ObjectStore } from "../../store/objects/store.ts";
import { normalDebugId } from "./debug_ids.ts";
import { fileKey, unpackFile } from "./stored_files.ts";

/** What a file is. The last one is for ProGuard mappings, whose uuid is their debug id. */
export type ArtifactType =
  | "source"
  | "minified_source"
  | "source_map"
  | "indexed_ram_bundle"
  | "proguard";

/** One uploaded file, as one bundle has it. */
export interface Artifact {
  /** Within its project. The same content in another bundle is another artifact with the same `objectKey`. */
  readonly artifactId: string;
  readonly projectId: string;
  /** 32 lower-case hex digits: the one it was found by, else the one it has. */
  readonly debugId: string | null;
  readonly type: ArtifactType;
  /** As the manifest has it, such as `~/app.js`. */
  readonly url: string;
  /** `""` for none. */
  readonly release: string;
  readonly dist: string;
  readonly headers: { readonly "sourcemap"?: string; readonly "debug-id"?: string };
  /** Names the content: what is made of it can be kept under a name made of this one. */
  readonly objectKey: string;
  /** As it is, not as it is stored. */
  readonly sizeBytes: number;
  readonly bundleId: string;
  readonly uploadedAt: Date;
}

/** What to look for: debug ids in any spelling, or candidates for the URL of a file in a release. `dist` is exact; `""` for none. */
export type Wanted =
  | { readonly debugIds: readonly string[] }
  | { readonly release: string; readonly dist: string; readonly urls: readonly string[] };

/** Old bundles of the same file are of no use beyond this many rows in all. */
const MAX_FOUND = 500;

type Row = Omit<Artifact, "artifactId" | "objectKey" | "sizeBytes"> & {
  readonly organizationId: string;
  readonly fileId: string;
  readonly place: number;
  readonly sizeBytes: string;
};

/**
 * The uploaded files of one project that are wanted, those of the newest bundle first; within a bundle the last one
 * of its manifest. For the newest source map of a debug id take the first with that id and the type `source_map`.
 *
 * @returns at most 500; nothing for what nobody uploaded to this very project
 */
export async function findArtifacts(
  sql: Sql,
  projectId: string,
  wanted: Wanted,
): Promise<Artifact[]> {
  if ("urls" in wanted) return await findByUrl(sql, projectId, wanted);
  const ids = [...new Set(wanted.debugIds.flatMap((id) => normalDebugId(id) ?? []))];
  if (ids.length === 0) return [];
  const rows = await sql<Row[]>`
    select ${columns(sql)}, replace(
      (case when debug_id = any(${ids}::uuid[]) then debug_id else other_debug_id end)::text, '-', ''
    ) as "debugId"
    from artifacts where project_id = ${projectId}
      and (debug_id = any(${ids}::uuid[]) or other_debug_id = any(${ids}::uuid[]))
    order by uploaded_at desc, bundle_id, place desc limit ${MAX_FOUND}
  `;
  return rows.map(artifactOf);
}

async function findByUrl(
  sql: Sql,
  projectId: string,
  { release, dist, urls }: Extract<Wanted, { urls: unknown }>,
): Promise<Artifact[]> {
  if (release === "" || urls.length === 0) return [];
  const rows = await sql<Row[]>`
    select ${columns(sql)}, replace(debug_id::text, '-', '') as "debugId"
    from artifacts where project_id = ${projectId} and release <> ''
      and release = ${storable(release)} and dist = ${storable(dist)}
      and url = any(${urls.map(storable)}::text[])
    order by uploaded_at desc, bundle_id, place desc limit ${MAX_FOUND}
  `;
  return rows.map(artifactOf);
}

function columns(sql: Sql) {
  return sql`
    project_id as "projectId", bundle_id as "bundleId", place, organization_id as "organizationId",
    file_id as "fileId", type, url, release, dist, headers, size_bytes as "sizeBytes",
    uploaded_at as "uploadedAt"
  `;
}

function artifactOf({ organizationId, fileId, place, sizeBytes, ...row }: Row): Artifact {
  return {
    ...row,
    artifactId: `${row.bundleId}.${place}`,
    objectKey: fileKey(organizationId, fileId),
    sizeBytes: Number(sizeBytes),
  };
}

/**
 * The bytes of a file, as they were uploaded.
 *
 * @returns null when it has been deleted since it was found
 * @throws {Error} when the object store is away, or has something else under this key
 */
export async function readArtifact(
  objects: ObjectStore,
  { objectKey, sizeBytes }: Pick<Artifact, "objectKey" | "sizeBytes">,
): Promise<Uint8Array | null> {
  const packed = await objects.get(objectKey);
  return packed && unpackFile(packed, sizeBytes);
}

/**
 * Notes that bundles were of use on a day, so that they are kept. To be called for each event that a bundle helped, or
 * less often: it writes once a day and bundle.
 */
export async function touchArtifacts(
  sql: Sql,
  projectId: string,
  bundleIds: readonly string[],
  day: Date,
): Promise<void> {
  if (bundleIds.length === 0) return;
  await sql`
    update artifact_bundles set last_used_on = ${dayOf(day)}
    where project_id = ${projectId} and bundle_id = any(${[...bundleIds]}::uuid[])
      and last_used_on < ${dayOf(day)}
  `;
}

/** A bundle that has become usable, and what it may explain of events that came before it. */
export interface ReadyBundle {
  readonly projectId: string;
  readonly bundleId: string;
  /** `""` for none. */
  readonly release: string;
  readonly dist: string;
  /** 32 lower-case hex digits each. */
  readonly debugIds: readonly string[];
  readonly notedAt: Date;
}

/**
 * Bundles that have become usable, the oldest first, until {@linkcode endReadyBundle} says that events before them have been
 * looked at. A note is written in the transaction that makes the bundle usable, and kept for a week.
 */
export async function readyBundles(sql: Sql, limit: number): Promise<ReadyBundle[]> {
  return await sql<ReadyBundle[]>`
    select n.project_id as "projectId", n.bundle_id as "bundleId", b.release, b.dist,
      n.noted_at as "notedAt", array(
        select distinct replace(id::text, '-', '') from artifacts a, unnest(array[debug_id, other_debug_id]) as id
        where a.project_id = n.project_id and a.bundle_id = n.bundle_id and id is not null
      ) as "debugIds"
    from ready_bundles n join artifact_bundles b using (project_id, bundle_id)
    order by n.noted_at limit ${limit}
  `;
}

/** Ends what {@linkcode readyBundles} tells of a bundle. */
export async function endReadyBundle(
  sql: Sql,
  { projectId, bundleId }: Pick<ReadyBundle, "projectId" | "bundleId">,
): Promise<void> {
  await sql`delete from ready_bundles where project_id = ${projectId} and bundle_id = ${bundleId}`;
}
