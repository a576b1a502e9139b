/**
 * Contents of uploaded files: compressed, in the object store, each once in an organization. Rows of `artifact_files` come before
 * the bytes and go after them, and a content that comes back gets a key of its own: so nothing is left behind, and nothing is
 * deleted that somebody has just begun to use.
 */
import { createHash, randomUUID } from "node:crypto";
import { constants, createZstdDecompress } from "node:zlib";
import { zstd } from "../../core/zstd.ts";
import { runEngine } from "../../core/inflate_engine.ts";
import type postgres from "postgres";
import type { Queryable, Sql } from "../../store/database.ts";
import type { ObjectStore } from "../../store/objects/store.ts";
import { waitingBytes } from "./chunks.ts";
import { BadUpload } from "./limits.ts";

/** Higher levels take several times as long to save a tenth. */
const LEVEL = 3;

/** Where the bytes of a file are. */
export function fileKey(organizationId: string, fileId: string): string {
  return `artifact_files/${organizationId}/${fileId}`;
}

/** A file as it is stored. */
export function packFile(bytes: Uint8Array): Uint8Array {
  return zstd(bytes, LEVEL);
}

/** What {@linkcode packFile} packed. @param sizeBytes of the file @throws {Error} when it is anything else */
export function unpackFile(packed: Uint8Array, sizeBytes: number): Uint8Array {
  const engine = createZstdDecompress({ maxOutputLength: Math.max(1, sizeBytes) });
  const { output } = runEngine(engine, packed, constants.ZSTD_e_end);
  if (output.length !== sizeBytes) throw new Error("A stored source map is damaged");
  return output;
}

interface BlobStores {
  readonly sql: Sql;
  readonly objects: ObjectStore;
}

/** What an organization's uploads take, against what they may. */
export interface Space {
  /** As stored: compressed, each content once; chunks that wait as well. */
  readonly usedBytes: number;
  readonly maxBytes: number;
}

/** @param maxBytes `Config.sourceMapsMaxBytes` */
export async function spaceOf(
  sql: Sql,
  organizationId: string,
  maxBytes: number,
): Promise<Space> {
  const [[row], waiting] = await Promise.all([
    sql<{ bytes: string }[]>`
      select coalesce(sum(stored_bytes), 0)::bigint as bytes from artifact_files
      where organization_id = ${organizationId} and dropped_at is null
    `,
    waitingBytes(sql, organizationId),
  ]);
  return { usedBytes: Number(row?.bytes ?? 0) + waiting, maxBytes };
}

/** The sentence for uploads that find no room. */
export function isFull(maxBytes: number): BadUpload {
  const size = maxBytes >= 1e9 ? `${Number((maxBytes / 1e9).toFixed(1))} GB` : `${maxBytes} bytes`;
  return new BadUpload(
    `The organization's space for source maps (${size}) is full: delete old ones in Settings, Source maps, or raise SERVICE_SOURCE_MAPS_MAX_BYTES.`,
  );
}

/** A content that is, or is about to be, in the store. */
export interface StoredFile {
  readonly fileId: string;
  readonly sizeBytes: number;
}

/**
 * Puts a file into the store unless its organization has the same already. It is deleted an hour later unless
 * {@linkcode keepFiles} is told of it.
 *
 * @param space of the organization
 * @returns the file, and how many bytes it took
 * @throws {BadUpload} when there is no room
 */
export async function putFile(
  { sql, objects }: BlobStores,
  organizationId: string,
  bytes: Uint8Array,
  { usedBytes, maxBytes }: Space,
): Promise<StoredFile & { readonly takenBytes: number }> {
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  const [row] = await sql<{ fileId: string; isStored: boolean }[]>`
    insert into artifact_files as known (organization_id, file_id, sha256, size_bytes, stored_bytes)
    values (${organizationId}, ${randomUUID()}, ${sha256}, ${bytes.length}, 0)
    on conflict (organization_id, sha256) where dropped_at is null do update
      set claimed_at = excluded.claimed_at
    returning file_id as "fileId", is_stored as "isStored"
  `;
  if (row === undefined) throw new Error("An upsert returned nothing");
  const file = { fileId: row.fileId, sizeBytes: bytes.length };
  if (row.isStored) return { ...file, takenBytes: 0 };
  const packed = packFile(bytes);
  if (usedBytes + packed.length > maxBytes) throw isFull(maxBytes);
  await objects.put(fileKey(organizationId, row.fileId), packed);
  await sql`
    update artifact_files set stored_bytes = ${packed.length}
    where organization_id = ${organizationId} and file_id = ${row.fileId}
  `;
  return { ...file, takenBytes: packed.length };
}

/**
 * Keeps files that were put, as part of the transaction that makes artifacts of them.
 *
 * @throws {FilesGone} when one of them has been deleted meanwhile, because nobody used it
 */
export async function keepFiles(
  tx: Queryable,
  organizationId: string,
  fileIds: readonly string[],
): Promise<void> {
  const wanted = [...new Set(fileIds)].sort();
  const { count } = await tx`
    with wanted as (
      select file_id from artifact_files
      where organization_id = ${organizationId} and file_id = any(${wanted}::uuid[]) and dropped_at is null
      order by file_id for update
    )
    update artifact_files f set is_stored = true, claimed_at = now() from wanted
    where f.organization_id = ${organizationId} and f.file_id = wanted.file_id
  `;
  if (count !== wanted.length) throw new FilesGone();
}

/** Files were deleted between their arrival and their use: the same again will succeed. */
export class FilesGone extends Error {
  override name = "FilesGone";
}

const FILES_A_BATCH = 200;
/** Far longer than any upload takes from its first file to its last. */
const UNSURE_FOR = "1 hour";

/**
 * Deletes contents that no artifact of their organization has. First the row says that they go, then the bytes go, then the row.
 *
 * @param organizationId null: of all
 * @param stopping ends the work between two batches; a later call does the rest
 * @returns how many went
 */
export async function dropUnused(
  { sql, objects }: BlobStores,
  organizationId: string | null,
  stopping?: AbortSignal,
): Promise<number> {
  const ours = () =>
    organizationId === null ? sql`true` : sql`f.organization_id = ${organizationId}`;
  await markUnused(sql, ours);
  let count = 0;
  while (!stopping?.aborted) {
    const rows = await sql<{ organizationId: string; fileId: string }[]>`
      select organization_id as "organizationId", file_id as "fileId" from artifact_files f
      where ${ours()} and dropped_at is not null limit ${FILES_A_BATCH}
    `;
    if (rows.length === 0) break;
    for (const { organizationId, fileId } of rows) {
      // With what was made of it, which lies under names that begin with its own.
      for await (const { key } of objects.list(fileKey(organizationId, fileId))) {
        await objects.delete(key);
      }
    }
    await sql`
      delete from artifact_files f using unnest(
        ${rows.map((row) => row.organizationId)}::bigint[], ${
      rows.map(({ fileId }) => fileId)
    }::uuid[]
      ) as gone (organization_id, file_id)
      where f.organization_id = gone.organization_id and f.file_id = gone.file_id
    `;
    count += rows.length;
  }
  return count;
}

/**
 * Two statements: while the first holds a row nobody can begin to use its file, and the second sees whoever did before. One
 * alone would not see an artifact that is committed while it waits for the row.
 */
async function markUnused(sql: Sql, ours: () => postgres.Fragment): Promise<void> {
  // Materialized: Citus has what is used on many nodes, and reads it before it locks.
  const used = (which: postgres.Fragment) =>
    sql`
    used as materialized (select distinct organization_id, file_id from artifacts f where ${which})
  `;
  const unused = () =>
    sql`
    f.dropped_at is null and (is_stored or claimed_at < now() - ${UNSURE_FOR}::interval)
    and not exists (
      select from used where used.organization_id = f.organization_id and used.file_id = f.file_id
    )
  `;
  await sql.begin(async (tx) => {
    const rows = await tx<{ fileId: string }[]>`
      with ${used(ours())}
      select file_id as "fileId" from artifact_files f where ${ours()} and ${unused()} for update skip locked
    `;
    if (rows.length === 0) return;
    const ids = rows.map(({ fileId }) => fileId);
    const isOne = sql`${ours()} and file_id = any(${ids}::uuid[])`;
    await tx`
      with ${used(isOne)}
      update artifact_files f set dropped_at = now() where ${isOne} and ${unused()}
    `;
  });
}
