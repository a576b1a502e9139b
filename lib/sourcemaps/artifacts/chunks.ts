/** Slices of uploads, kept by their SHA-1 within one organization until they are put together, or for a day. */
import { Buffer } from "node:buffer";
import { createHash, randomUUID } from "node:crypto";
import { dayOf } from "../../store/query_limits.ts";
import type { Sql } from "../../store/database.ts";
import type { ObjectStore } from "../../store/objects/store.ts";
import { BadUpload, mebibytes } from "./limits.ts";
import { outside, type RandomAccess } from "./zip.ts";

interface BlobStores {
  readonly sql: Sql;
  readonly objects: ObjectStore;
}

/** SHA-1 of bytes, in hex. */
export function sha1Of(bytes: Uint8Array): string {
  return createHash("sha1").update(bytes).digest("hex");
}

/**
 * Keeps a chunk, durably; one that is known is kept for another day. The row comes after the bytes: who finds it finds them.
 *
 * @param sha1 of `bytes`
 */
export async function saveChunk(
  { sql, objects }: BlobStores,
  organizationId: string,
  sha1: string,
  bytes: Uint8Array,
): Promise<void> {
  if ((await knownChunks(sql, organizationId, [sha1])).size > 0) return;
  const key = `upload_chunks/${organizationId}/${dayOf(new Date())}/${randomUUID()}`;
  await objects.put(key, bytes);
  const { count } = await sql`
    insert into upload_chunks (organization_id, sha1, object_key, size_bytes)
    values (${organizationId}, ${sha1}, ${key}, ${bytes.length})
    on conflict do nothing
  `;
  // Somebody sent the same at the same time.
  if (count === 0) await objects.delete(key);
}

/** Which of these chunks are here. They are kept for another day, since somebody counts on them now. */
export async function knownChunks(
  sql: Sql,
  organizationId: string,
  hashes: readonly string[],
): Promise<Set<string>> {
  if (hashes.length === 0) return new Set();
  const rows = await sql<{ sha1: string }[]>`
    with wanted as (
      select sha1 from upload_chunks
      where organization_id = ${organizationId} and sha1 = any(${[...hashes]}::text[])
      order by sha1 for update
    )
    update upload_chunks c set used_at = now(), is_assembled = false from wanted
    where c.organization_id = ${organizationId} and c.sha1 = wanted.sha1
    returning c.sha1
  `;
  return new Set(rows.map(({ sha1 }) => sha1));
}

/** Bytes of chunks that wait in an organization. */
export async function waitingBytes(sql: Sql, organizationId: string): Promise<number> {
  const [row] = await sql<{ bytes: string }[]>`
    select coalesce(sum(size_bytes), 0)::bigint as bytes from upload_chunks
    where organization_id = ${organizationId} and not is_assembled
  `;
  return Number(row?.bytes ?? 0);
}

/** Notes that chunks have become part of something: they are soon deleted unless somebody names them again. */
export async function noteAssembled(
  sql: Sql,
  organizationId: string,
  hashes: readonly string[],
): Promise<void> {
  await sql`
    update upload_chunks set is_assembled = true
    where organization_id = ${organizationId} and sha1 = any(${[...hashes]}::text[])
  `;
}

/** Chunks that were there are gone: their client has to send them again. */
export class ChunksGone extends Error {
  override name = "ChunksGone";
}

interface Piece {
  readonly key: string;
  readonly start: number;
  readonly length: number;
}

/** Chunks in memory: what is read next mostly lies in the same one, or in the last. */
const KEPT = 2;

/**
 * The file that chunks make, of which parts can be read. The whole is never in memory.
 *
 * @param hashes in the order in which they follow each other; one may come again
 * @throws {ChunksGone} here, and when a part is read
 * @throws {BadUpload} when it is larger than `maxBytes`
 */
export async function openChunks(
  { sql, objects }: BlobStores,
  organizationId: string,
  hashes: readonly string[],
  maxBytes: number,
): Promise<RandomAccess & { sha1(): Promise<string> }> {
  const rows = await sql<{ sha1: string; key: string; size: number }[]>`
    select sha1, object_key as key, size_bytes as size from upload_chunks
    where organization_id = ${organizationId} and sha1 = any(${[...new Set(hashes)]}::text[])
  `;
  const byHash = new Map(rows.map((row) => [row.sha1, row]));
  let size = 0;
  const pieces = hashes.map((hash): Piece => {
    const row = byHash.get(hash);
    if (row === undefined) throw new ChunksGone();
    const piece = { key: row.key, start: size, length: row.size };
    size += row.size;
    return piece;
  });
  if (size > maxBytes) {
    throw new BadUpload(`The upload exceeds the maximum size of ${mebibytes(maxBytes)}.`);
  }
  const bytesOf = reader(objects);

  return {
    size,
    async read(offset, length) {
      if (offset < 0 || offset + length > size) throw outside();
      const wanted = new Uint8Array(length);
      for (const piece of pieces) {
        const from = Math.max(offset, piece.start);
        const to = Math.min(offset + length, piece.start + piece.length);
        if (from >= to) continue;
        const bytes = await bytesOf(piece);
        wanted.set(bytes.subarray(from - piece.start, to - piece.start), from - offset);
      }
      return wanted;
    },
    async sha1() {
      const hash = createHash("sha1");
      for (const piece of pieces) hash.update(await bytesOf(piece));
      return hash.digest("hex");
    },
  };
}

/** Reads chunks from the store, and keeps the last ones in memory. */
function reader(objects: ObjectStore) {
  const kept = new Map<string, Promise<Uint8Array>>();
  async function load({ key, length }: Piece): Promise<Uint8Array> {
    const bytes = await objects.get(key);
    if (bytes?.length !== length) throw new ChunksGone();
    return Buffer.from(bytes);
  }
  return (piece: Piece): Promise<Uint8Array> => {
    const known = kept.get(piece.key) ?? load(piece);
    kept.delete(piece.key);
    kept.set(piece.key, known);
    const [oldest] = kept.keys();
    if (kept.size > KEPT && oldest !== undefined) kept.delete(oldest);
    return known;
  };
}
