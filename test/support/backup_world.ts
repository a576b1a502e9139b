/** Small stores, and places to copy them to. */
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { copyOfServer } from "@/lib/accounts/copy_kv.ts";
import { type Config, readConfig } from "@/lib/core/config.ts";
import { backUp, type Made } from "@/lib/server/backup/back_up.ts";
import { openPlace, type Place } from "@/lib/server/backup/place.ts";
import { withShardedSnapshot } from "@/lib/server/backup/shards.ts";
import { stillSnapshot } from "@/lib/server/backup/snapshot.ts";
import type { Source } from "@/lib/server/backup/source.ts";
import type { Stores } from "@/lib/store/stores.ts";
import { silentLogger } from "./silent_logger.ts";
import { testDatabase, testKv, testObjects } from "./stores.ts";
import { type TempDir, tempDir } from "./temp_dir.ts";
import { WORKERS } from "./throw_away_database.ts";

export interface BackupWorld extends AsyncDisposable {
  readonly stores: Stores;
  readonly source: Source;
  /** An empty folder for backups. */
  readonly folder: TempDir;
}

/** Stores with something in each of them. */
export async function backupWorld(): Promise<BackupWorld> {
  await using opened = new AsyncDisposableStack();
  const { kv } = opened.use(await testKv());
  const { objects } = opened.use(await testObjects());
  const { sql } = opened.use(await testDatabase());
  const folder = opened.use(await tempDir());
  await kv.set(["organization", "acme"], { name: "Acme", madeAt: new Date(0) });
  await objects.put("files/large", randomBytes(200_000));
  await objects.put("files/small", randomBytes(10));
  await sql`
    insert into control_projects values (7, 1, 'shop', 'Shop', 'deno', now(), '{"a": ["\\\\ \\""]}')
  `;
  await addRow(sql, 1);
  const stores = { kv, sql, objects };
  const all = opened.move();
  return {
    ...{ stores, source: sourceOf(stores), folder },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

/** Stores that nobody else uses meanwhile, to be copied. */
export function sourceOf({ kv, sql, objects }: Stores): Source {
  return {
    kv,
    objects,
    copyKv: () => copyOfServer(kv),
    withPostgres: (read) =>
      WORKERS.length === 0
        ? read(stillSnapshot(sql))
        : withShardedSnapshot({ sql, url: addressOf(sql), log: silentLogger }, read),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}

function addressOf(sql: Stores["sql"]): string {
  const { host, port, user, database } = sql.options;
  return `postgres://${user}@${host[0]}:${port[0]}/${database}`;
}

/** One more row in a small table. */
export async function addRow(sql: Stores["sql"], organizationId: number): Promise<void> {
  await sql`
    insert into audit_outbox (organization_id, entry_id) values (${organizationId}, gen_random_uuid())
  `;
}

/** Settings with a key for backups, or none. */
export function keyed(key?: string): Config {
  return readConfig(key === undefined ? {} : { SERVICE_BACKUP_KEY: key });
}

/** Makes a backup of everything. */
export async function makeBackup(
  { source }: BackupWorld,
  place: Place,
  keep: number | null = null,
): Promise<Made> {
  return await backUp(source, place, { keep, say: () => {} });
}

/** The folder as a place, to write to. */
export function placeIn({ folder }: Pick<BackupWorld, "folder">, key?: string): Promise<Place> {
  return openPlace(keyed(key), folder.path, { isWriter: true });
}

/** The file of a part. */
export function fileOf({ folder }: BackupWorld, part: string): string {
  return join(folder.path, "parts", part.slice(0, 2), part);
}
