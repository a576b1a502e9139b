/** The uploads of a project, for those who look at them, and their end. */
import type { Permission } from "../../accounts/members.ts";
import { likePattern } from "../../store/values.ts";
import { storable } from "../../core/errors.ts";
import { isOfCalendar } from "../../core/time.ts";
import { insertAudit } from "../../store/audit.ts";
import type { Queryable, Sql } from "../../store/database.ts";
import { normalDebugId } from "./debug_ids.ts";
import type { ArtifactType } from "./lookup.ts";
import type { BundleKind } from "./save_bundle.ts";

/** What it takes to delete uploads: what build servers hold does not, so that a stolen token cannot. */
export const DELETE_UPLOADS: Permission = "project:write";

/** An upload that can be used, in one release and dist. */
export interface ArtifactBundle {
  readonly bundleId: string;
  readonly kind: BundleKind;
  /** Each `""` for none. */
  readonly release: string;
  readonly dist: string;
  readonly fileCount: number;
  readonly debugIdCount: number;
  /** Of all its files, as they are. */
  readonly sizeBytes: number;
  readonly uploadedAt: Date;
  /** The start of a UTC day: when an event needed it last, or it was sent. */
  readonly lastUsedOn: Date;
}

/** A file of an upload. */
export interface ListedFile {
  /** Its place in the bundle. */
  readonly place: number;
  readonly type: ArtifactType;
  readonly url: string;
  /** 32 hex digits. */
  readonly debugId: string | null;
  readonly sourcemap: string | null;
  readonly sizeBytes: number;
  readonly dist: string;
  readonly bundleId: string;
  readonly uploadedAt: Date;
}

interface Page<T> {
  readonly rows: readonly T[];
  /** Null at the end. */
  readonly nextCursor: string | null;
}

interface Paging {
  /** From the page before; null for the first. What is no cursor counts as none. */
  readonly cursor: string | null;
  readonly limit: number;
}

type BundleRow = Omit<ArtifactBundle, "sizeBytes"> & { readonly sizeBytes: string };

/**
 * Uploads of a project, the newest first.
 *
 * @param query part of a release, dist or URL, or a debug id; `""` for all
 */
export async function listBundles(
  sql: Sql,
  projectId: string,
  { query, cursor, limit }: Paging & { readonly query: string },
): Promise<Page<ArtifactBundle>> {
  const [, time, id = ""] = /^(\d{1,15})\.(.*)$/.exec(cursor ?? "") ?? [];
  const after = isOfCalendar(Number(time)) && isUuid(id)
    ? sql`(uploaded_at, bundle_id) < (${new Date(Number(time))}, ${id}::uuid)`
    : sql`true`;
  const rows = await sql<BundleRow[]>`
    select ${columns(sql)} from artifact_bundles b
    where project_id = ${projectId} and ${after} and ${matching(sql, projectId, query)}
    order by uploaded_at desc, bundle_id desc limit ${limit + 1}
  `;
  const page = rows.slice(0, limit).map(bundleOf);
  const last = page.at(-1);
  const hasMore = rows.length > limit && last !== undefined;
  return {
    rows: page,
    nextCursor: hasMore ? `${last.uploadedAt.getTime()}.${last.bundleId}` : null,
  };
}

/** What was uploaded for a release, with any dist, the newest first. */
export async function bundlesOfRelease(
  sql: Sql,
  projectId: string,
  release: string,
  limit: number,
): Promise<ArtifactBundle[]> {
  const rows = await sql<BundleRow[]>`
    select ${columns(sql)} from artifact_bundles
    where project_id = ${projectId} and release <> '' and release = ${storable(release)}
    order by uploaded_at desc, bundle_id desc limit ${limit}
  `;
  return rows.map(bundleOf);
}

function matching(sql: Sql, projectId: string, query: string) {
  const text = storable(query.trim());
  if (text === "") return sql`true`;
  const id = normalDebugId(text);
  if (id !== null) {
    return sql`bundle_id in (
      select bundle_id from artifacts
      where project_id = ${projectId} and (debug_id = ${id} or other_debug_id = ${id})
    )`;
  }
  const pattern = likePattern(`*${text}*`);
  return sql`(release ilike ${pattern} or dist ilike ${pattern} or exists (
    select from artifacts a
    where a.project_id = ${projectId} and a.bundle_id = b.bundle_id and a.url ilike ${pattern}
  ))`;
}

function columns(sql: Sql) {
  return sql`
    bundle_id as "bundleId", kind, release, dist, file_count as "fileCount",
    debug_id_count as "debugIdCount", size_bytes as "sizeBytes", uploaded_at as "uploadedAt",
    last_used_on as "lastUsedOn"
  `;
}

function bundleOf({ sizeBytes, ...row }: BundleRow): ArtifactBundle {
  return { ...row, sizeBytes: Number(sizeBytes) };
}

/** One upload, or null. */
export async function findBundle(
  sql: Sql,
  projectId: string,
  bundleId: string,
): Promise<ArtifactBundle | null> {
  if (!isUuid(bundleId)) return null;
  const [row] = await sql<BundleRow[]>`
    select ${columns(sql)} from artifact_bundles
    where project_id = ${projectId} and bundle_id = ${bundleId}
  `;
  return row === undefined ? null : bundleOf(row);
}

function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/.test(text);
}

type FileRow = Omit<ListedFile, "sizeBytes"> & { readonly sizeBytes: string };

/** Files of one upload, or of all uploads of a release; in order of their URLs. Cursors are numbers of rows. */
export async function listFiles(
  sql: Sql,
  projectId: string,
  of: { readonly bundleId: string } | { readonly release: string },
  { cursor, limit }: Paging,
): Promise<Page<ListedFile>> {
  const offset = /^\d{1,9}$/.test(cursor ?? "") ? Number(cursor) : 0;
  const which = "bundleId" in of
    ? sql`bundle_id = ${of.bundleId}`
    : sql`release = ${storable(of.release)} and release <> ''`;
  const rows = await sql<FileRow[]>`
    select place, type, url, replace(debug_id::text, '-', '') as "debugId", headers->>'sourcemap' as sourcemap,
      size_bytes as "sizeBytes", dist, bundle_id as "bundleId", uploaded_at as "uploadedAt"
    from artifacts where project_id = ${projectId} and ${which}
    order by url, uploaded_at desc, bundle_id, place limit ${limit + 1} offset ${offset}
  `;
  return {
    rows: rows.slice(0, limit).map(({ sizeBytes, ...row }) => ({
      ...row,
      sizeBytes: Number(sizeBytes),
    })),
    nextCursor: rows.length > limit ? String(offset + limit) : null,
  };
}

/** What to delete of a project: some uploads, or all of a release. */
export type Doomed = { readonly bundleIds: readonly string[] } | { readonly release: string };

/**
 * Deletes uploads, with what is known of how they came: the same can be sent again. Contents that nobody else has are to be
 * deleted by `dropUnused()` afterwards.
 *
 * @returns how many there were
 */
export async function deleteBundles(
  sql: Sql,
  projectId: string,
  doomed: Doomed,
): Promise<number> {
  return await sql.begin(async (tx) => {
    const which = "release" in doomed
      ? tx`release = ${storable(doomed.release)}`
      : tx`bundle_id = any(${doomed.bundleIds.filter(isUuid)}::uuid[])`;
    const rows = await tx<{ bundleId: string }[]>`
      delete from artifact_bundles where project_id = ${projectId} and ${which}
      returning bundle_id as "bundleId"
    `;
    const ids = rows.map(({ bundleId }) => bundleId);
    if (ids.length > 0) {
      await deleteParts(tx, projectId, ids);
      await insertAudit(tx, {
        event: "artifact-bundle.remove",
        projectId,
        target: {
          kind: "artifact-bundle",
          id: ids.length === 1 ? ids[0] ?? "" : projectId,
          label: "release" in doomed ? storable(doomed.release) : ids.slice(0, 20).join(", "),
        },
        changes: { bundles: [ids.length, 0] },
      });
    }
    return ids.length;
  });
}

async function deleteParts(
  tx: Queryable,
  projectId: string,
  bundleIds: readonly string[],
): Promise<void> {
  for (const table of ["artifacts", "ready_bundles", "artifact_assemblies"]) {
    await tx`
      delete from ${tx(table)}
      where project_id = ${projectId} and bundle_id = any(${[...bundleIds]}::uuid[])
    `;
  }
}
