/** Deletes what lies in the object store and is too old, or of a project that goes, with the rows that name it. */
import type { Sql } from "./database.ts";
import type { ObjectStore } from "./objects/store.ts";
import { dayOf } from "./query_limits.ts";
import { oldestKept } from "./retention.ts";

const BLOBS_A_BATCH = 200;
const PARALLEL = 8;

/** Rows whose bytes live in the object store. */
const TABLES_WITH_BLOBS = [
  { table: "attachments", id: "attachment_id", keys: ["blob_key"] },
  { table: "profiles", id: "profile_id", keys: ["blob_key", "original_key"] },
] as const;

/** What was made of many rows, by the day they are of: `profile_merges/7/2026-11-20/<name>`. */
const MADE = ["profile_merges"] as const;

interface BlobStores {
  readonly sql: Sql;
  readonly objects: ObjectStore;
}

/**
 * Deletes attachments and profiles from before `oldestKept()`, with their bytes, bytes of that age that no row ever
 * came for, and what was made of rows of that age.
 *
 * @param stopping ends the work between two batches
 * @returns how many objects went
 */
export async function deleteExpiredBlobs(
  { sql, objects }: BlobStores,
  retentionDays: number,
  stopping: AbortSignal,
  now: Date = new Date(),
): Promise<number> {
  const oldest = oldestKept(retentionDays, now);
  let count = 0;
  for (const { table, id, keys } of TABLES_WITH_BLOBS) {
    count += await deleteBatches(objects, stopping, {
      find: () =>
        sql`
          select project_id as "projectId", ${sql(id)} as id, array[${sql(keys)}] as keys
          from ${sql(table)} where "timestamp" < ${oldest} limit ${BLOBS_A_BATCH}
        `,
      forget: (rows) => forget(sql, table, id, rows),
    });
    count += await deleteLeftBehind(objects, table, oldest, stopping);
  }
  return count + await deleteMadeOf(objects, oldest, stopping);
}

/** Deletes everything of one project. @returns how many objects went */
export async function purgeBlobs(
  { sql, objects }: BlobStores,
  projectId: string,
  stopping: AbortSignal,
): Promise<number> {
  let count = 0;
  for (const prefix of [...MADE, "transfers", ...TABLES_WITH_BLOBS.map(({ table }) => table)]) {
    for await (const { key } of objects.list(`${prefix}/${projectId}/`)) {
      if (stopping.aborted) return count;
      await objects.delete(key);
      count++;
    }
  }
  for (const { table, id, keys } of TABLES_WITH_BLOBS) {
    await deleteBatches(objects, stopping, {
      find: () =>
        sql`
          select project_id as "projectId", ${sql(id)} as id, array[${sql(keys)}] as keys
          from ${sql(table)} where project_id = ${projectId} limit ${BLOBS_A_BATCH}
        `,
      forget: (rows) => forget(sql, table, id, rows),
    });
  }
  return count;
}

interface BlobRow {
  readonly projectId: string;
  readonly id: string;
  /** `""` for none. */
  readonly keys: readonly string[];
}

interface Batches {
  /** @returns the next rows to go; none when all are gone */
  find(): PromiseLike<readonly object[]>;
  forget(rows: readonly BlobRow[]): Promise<void>;
}

/** The object goes first and the row after it: what is interrupted in between is found again by its row. */
async function deleteBatches(
  objects: ObjectStore,
  stopping: AbortSignal,
  { find, forget }: Batches,
): Promise<number> {
  let count = 0;
  while (!stopping.aborted) {
    const rows = [...await find()] as BlobRow[];
    if (rows.length === 0) break;
    const keys = rows.flatMap((row) => row.keys).filter((key) => key !== "");
    for (let index = 0; index < keys.length; index += PARALLEL) {
      await Promise.all(keys.slice(index, index + PARALLEL).map((key) => objects.delete(key)));
    }
    await forget(rows);
    count += keys.length;
  }
  return count;
}

async function forget(
  sql: Sql,
  table: string,
  id: string,
  rows: readonly BlobRow[],
): Promise<void> {
  await sql`
    delete from ${sql(table)} using unnest(
      ${rows.map(({ projectId }) => projectId)}::bigint[],
      ${rows.map((row) => row.id)}::uuid[]
    ) as gone (project_id, id)
    where ${sql(table)}.project_id = gone.project_id and ${sql(table)}.${sql(id)} = gone.id
  `;
}

/** Deletes what was made of rows from before a day. @returns how many objects went */
export async function deleteMadeOf(
  objects: ObjectStore,
  before: Date,
  stopping: AbortSignal,
): Promise<number> {
  let count = 0;
  for (const prefix of MADE) count += await deleteLeftBehind(objects, prefix, before, stopping);
  return count;
}

/** Keys carry the day of receipt: `attachments/7/2026-11-20/<id>`. */
async function deleteLeftBehind(
  objects: ObjectStore,
  prefix: string,
  oldest: Date,
  stopping: AbortSignal,
): Promise<number> {
  const oldestDay = dayOf(oldest);
  let count = 0;
  for await (const { key } of objects.list(`${prefix}/`)) {
    if (stopping.aborted) break;
    const day = key.split("/")[2] ?? "";
    if (!/^\d{4}-\d\d-\d\d$/.test(day) || day >= oldestDay) continue;
    await objects.delete(key);
    count++;
  }
  return count;
}
