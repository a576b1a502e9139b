/** What exports and imports have in the object store: pieces of files, compressed. */
import { gunzipSync, gzipSync } from "node:zlib";
import type { Sql } from "../store/database.ts";
import type { ObjectStore } from "../store/objects/store.ts";
import type { NamedPart } from "../store/objects/zip_parts.ts";
import type { Transfer } from "./transfers.ts";

export interface TransferStores {
  readonly sql: Sql;
  readonly objects: ObjectStore;
}

type Owner = Pick<Transfer, "projectId" | "id">;

/** A piece of a file of an export. */
export interface Piece {
  readonly name: string;
  /** As bytes where they need no compression. */
  readonly content: string | Uint8Array;
}

/** Where a piece lies. What is done again writes the same keys. */
export function keyOfPart({ projectId, id }: Owner, number: number, isPacked: boolean): string {
  return `transfers/${projectId}/${id}/${String(number).padStart(8, "0")}${isPacked ? ".gz" : ""}`;
}

/**
 * Puts pieces into the object store.
 *
 * @param from the number of the first
 * @returns the bytes that they take there
 */
export async function keepPieces(
  { sql, objects }: TransferStores,
  owner: Owner,
  pieces: readonly Piece[],
  from: number,
): Promise<number> {
  let size = 0;
  for (const [place, { name, content }] of pieces.entries()) {
    const isText = typeof content === "string";
    const bytes = isText ? new TextEncoder().encode(content) : content;
    const stored = isText ? new Uint8Array(gzipSync(bytes)) : bytes;
    const number = from + place;
    const key = keyOfPart(owner, number, isText);
    await objects.put(key, stored);
    size += stored.length;
    await sql`
      insert into transfer_parts (project_id, transfer_id, name, number, key, bytes)
      values (${owner.projectId}, ${owner.id}, ${name}, ${number}, ${key}, ${bytes.length})
      on conflict (project_id, transfer_id, name, number) do update
        set key = excluded.key, bytes = excluded.bytes
    `;
  }
  return size;
}

/**
 * Forgets the pieces from a number on, which were put there and never noted: what is exported in their place may be other
 * pieces by now. Their objects are written over, or go with the others.
 */
export async function forgetPieces(
  sql: Sql,
  { projectId, id }: Owner,
  from: number,
): Promise<void> {
  await sql`
    delete from transfer_parts
    where project_id = ${projectId} and transfer_id = ${id} and number >= ${from}
  `;
}

const PARTS_A_LOOK = 1_000;

/** The parts of all files, those of a file one after the other. */
export async function* partsOf(
  sql: Sql,
  { projectId, id }: Owner,
): AsyncGenerator<NamedPart> {
  let [name, number] = ["", -1];
  while (true) {
    const parts = await sql<(NamedPart & { readonly number: number })[]>`
      select name, number, key, bytes::float8 as bytes from transfer_parts
      where project_id = ${projectId} and transfer_id = ${id}
        and (name, number) > (${name}, ${number})
      order by name, number limit ${PARTS_A_LOOK}
    `;
    yield* parts;
    const last = parts.at(-1);
    if (last === undefined || parts.length < PARTS_A_LOOK) return;
    ({ name, number } = last);
  }
}

/** The bytes of a part as they were given; null: they are gone. */
export async function readPart(objects: ObjectStore, key: string): Promise<Uint8Array | null> {
  const stored = await objects.get(key);
  return stored !== null && key.endsWith(".gz") ? new Uint8Array(gunzipSync(stored)) : stored;
}

/** Deletes all that lies in the object store for one. */
export async function deleteParts(objects: ObjectStore, { projectId, id }: Owner): Promise<void> {
  for await (const { key } of objects.list(`transfers/${projectId}/${id}/`)) {
    await objects.delete(key);
  }
}
