/**
 * What is to be copied, as it is: stores that a running service uses, or that this process opens for itself. Embedded
 * ones belong to the service: it is asked for nothing but a moment in which its Postgres does nothing else, in which the
 * files are copied. What takes long then happens here, on the copy.
 */
import { join } from "node:path";
import { copyOfFile, copyOfServer, type KvCopy } from "../../accounts/copy_kv.ts";
import { openKv } from "../../accounts/open_kv.ts";
import { type Config, ConfigError } from "../../core/config.ts";
import { roomIn } from "../../core/disk_space.ts";
import type { Logger } from "../../core/log.ts";
import { connectEmbedded, openDatabase, type Sql } from "../../store/database.ts";
import { openEmbeddedPostgres } from "../../store/embedded/open.ts";
import type { SocketAddress } from "../../store/embedded/server.ts";
import { openObjects } from "../../store/objects/open.ts";
import type { ObjectStore } from "../../store/objects/store.ts";
import { isCitus } from "../../store/sharding.ts";
import { dataFolderState } from "../data_lock.ts";
import { openStores } from "../services.ts";
import { withShardedSnapshot } from "./shards.ts";
import { type Snapshot, stillSnapshot, withSnapshot } from "./snapshot.ts";

/** Stores to be copied, open. */
export interface Source extends AsyncDisposable {
  readonly kv: Deno.Kv;
  readonly objects: ObjectStore;
  /** All entries of KV, now. */
  copyKv(): Promise<KvCopy>;
  /** Reads Postgres as it is now, however long that takes. */
  withPostgres<T>(read: (snapshot: Snapshot) => Promise<T>): Promise<T>;
}

/** In the data folder: copies of files that are in use. */
const COPIES = "backup-copy";

/** @throws {ConfigError} when a store cannot be used, or is of a kind that cannot be copied */
export async function openSource(config: Config, log: Logger): Promise<Source> {
  const isEmbedded = config.databaseUrl === null || config.kv === "file" || config.s3 === null;
  const { isInUse, holder } = isEmbedded
    ? await dataFolderState(config.dataDir)
    : { isInUse: true, holder: null };
  await using opened = new AsyncDisposableStack();
  const copies = join(config.dataDir, COPIES);
  const stores = isInUse
    ? await openBeside(config, log, holder?.postgres ?? null)
    : opened.use(await openStores(config, log));
  if (isInUse) opened.defer(() => closeBeside(stores));
  const { kv, objects, sql } = stores;
  const all = opened.move();
  return {
    kv,
    objects,
    async copyKv() {
      if (config.kv !== "file") return await copyOfServer(kv);
      await using folder = await temporary(`${copies}-kv`);
      return await copyOfFile(config.dataDir, folder.path);
    },
    async withPostgres(read) {
      const url = config.databaseUrl;
      if (url !== null && await isCitus(sql)) {
        return await withShardedSnapshot({ sql, url, log }, read);
      }
      if (url !== null) return await withSnapshot(sql, read);
      if (!isInUse) return await read(stillSnapshot(sql));
      return await withFrozen(sql, config.dataDir, copies, log, read);
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

interface Beside {
  readonly kv: Deno.Kv;
  readonly objects: ObjectStore;
  readonly sql: Sql;
  readonly close?: () => Promise<void>;
}

/** As an isolate beside those that serve would open them. */
async function openBeside(
  config: Config,
  log: Logger,
  embedded: SocketAddress | null,
): Promise<Beside> {
  if (config.databaseUrl === null && embedded === null) {
    throw new ConfigError(
      `${config.dataDir} is in use by a process that has no Postgres there yet: try again in a moment`,
    );
  }
  await using opened = new AsyncDisposableStack();
  const kv = await openKv(config, log, "beside");
  opened.defer(() => kv.close());
  const objects = await openObjects(config, log, false);
  opened.defer(() => objects.close());
  const { sql, close } = await openDatabase(config, log, { embedded });
  opened.defer(close);
  const all = opened.move();
  return { kv, objects, sql, close: () => all.disposeAsync() };
}

async function closeBeside({ close }: Beside): Promise<void> {
  await close?.();
}

/** Copies the embedded Postgres while it stands still, and opens the copy. */
async function withFrozen<T>(
  sql: Sql,
  dataDir: string,
  copies: string,
  log: Logger,
  read: (snapshot: Snapshot) => Promise<T>,
): Promise<T> {
  const from = join(dataDir, "postgres");
  await refuseSmallDisk(dataDir, from);
  await using folder = await temporary(copies);
  const copy = join(folder.path, "postgres");
  const stoodMs = await sql.begin(async (tx) => {
    // From the first answer on the engine does nothing for others until the transaction ends.
    await tx`select 1`;
    const began = performance.now();
    await copyFolder(from, copy);
    return Math.round(performance.now() - began);
  });
  log.info("the embedded Postgres stood still to be copied", { ms: stoodMs });
  const engine = await openEmbeddedPostgres(copy, log);
  const copied = connectEmbedded(engine.address);
  try {
    return await read(stillSnapshot(copied));
  } finally {
    await copied.end({ timeout: 3 });
    await engine.close();
  }
}

/** A service that has less than a twentieth of its disk left takes no more requests. */
const KEPT_SHARE = 0.06;

async function refuseSmallDisk(dataDir: string, from: string): Promise<void> {
  const room = roomIn(dataDir);
  if (room === null) return;
  const needed = await sizeOf(from) + room.totalBytes * KEPT_SHARE;
  if (room.freeBytes >= needed) return;
  const missing = Math.ceil((needed - room.freeBytes) / 1_000_000);
  throw new ConfigError(
    `The disk of ${dataDir} has too little room to copy the embedded Postgres: make ${missing} MB free, or stop Watchpost and try again`,
  );
}

async function sizeOf(folder: string): Promise<number> {
  let bytes = 0;
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    const path = join(folder, name);
    bytes += isDirectory ? await sizeOf(path) : (await Deno.stat(path)).size;
  }
  return bytes;
}

const FILES_AT_ONCE = 16;

async function copyFolder(from: string, to: string): Promise<void> {
  await Deno.mkdir(to, { mode: 0o700 });
  const entries = await Array.fromAsync(Deno.readDir(from));
  const files = entries.filter(({ isFile }) => isFile);
  for (let index = 0; index < files.length; index += FILES_AT_ONCE) {
    await Promise.all(
      files.slice(index, index + FILES_AT_ONCE).map(({ name }) =>
        Deno.copyFile(join(from, name), join(to, name))
      ),
    );
  }
  for (const { name, isDirectory } of entries) {
    if (isDirectory) await copyFolder(join(from, name), join(to, name));
  }
}

/** A folder of the owner's own, without what an earlier process left in it. */
async function temporary(path: string): Promise<{ readonly path: string } & AsyncDisposable> {
  const remove = () =>
    Deno.remove(path, { recursive: true }).catch((error) => {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    });
  await remove();
  await Deno.mkdir(path, { recursive: true, mode: 0o700 });
  return { path, [Symbol.asyncDispose]: remove };
}
