import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { type Config, ConfigError } from "../core/config.ts";
import type { DiskSpace } from "../core/disk_space.ts";
import type { Logger } from "../core/log.ts";
import { StoreUnavailable } from "../core/errors.ts";
import { pause, waitForStore } from "../core/waiting.ts";
import { isLocked, KV_LIMIT_MS } from "./kv.ts";
import { countChanges, refuseIntakeChanges, wrapWrites } from "./kv_changes.ts";

/** Between two attempts to write. */
const MAX_PAUSE_MS = 20;

/**
 * Who opens the file: who has the folder to itself, another isolate of the same process, or a process beside the service,
 * which may not change what intake reads.
 */
export type KvOpener = "holder" | "isolate" | "beside";

/**
 * Opens Deno KV: the server at `DENO_KV_URL`, what the platform has for this app, or the SQLite file `kv.sqlite3` in
 * the data folder.
 *
 * The access token of a server is read from `DENO_KV_ACCESS_TOKEN` by `Deno.openKv` itself: there is no
 * argument for it.
 *
 * @param opener the holder looks the file through for damage first
 * @throws {ConfigError} when the server cannot be used, or the file is damaged
 */
export async function openKv(
  { kv: place, kvUrl, dataDir }: Config,
  log: Logger,
  opener: KvOpener = "holder",
): Promise<Deno.Kv> {
  if (place === "platform") {
    return await waitForStore("KV of the platform", () => Deno.openKv(), log, isPassing);
  }
  if (kvUrl === null) {
    await Deno.mkdir(dataDir, { recursive: true, mode: 0o700 });
    if (opener === "holder") await refuseDamaged(dataDir);
    const kv = patientKv(await untilUnlocked(() => Deno.openKv(kvFile(dataDir))));
    // What the service does meanwhile is not counted here.
    return opener === "beside" ? refuseIntakeChanges(kv) : countChanges(kv);
  }
  const name = `KV at ${new URL(kvUrl).host} (DENO_KV_URL)`;
  return await waitForStore(name, () => Deno.openKv(kvUrl), log, isPassing);
}

async function refuseDamaged(dataDir: string): Promise<void> {
  const damage = await damageOf(kvFile(dataDir));
  if (damage === null) return;
  const [newest] = await kvCopies(dataDir);
  const remedy = newest === undefined
    ? "there is no copy of it; make it again from Postgres"
    : `go back to the copy of ${newest}`;
  throw new ConfigError(
    `Cannot start: ${
      kvFile(dataDir)
    } is damaged (${damage}); put a backup of it back, or ${remedy}: deno task recover kv`,
  );
}

/** `Deno.openKv` tells its errors apart by their text only. */
function isPassing(error: unknown): boolean {
  const isFinal = error instanceof Error &&
    /DENO_KV_ACCESS_TOKEN|status 4\d\d/.test(error.message);
  return !isFinal;
}

/**
 * Lets several isolates write to one file: SQLite has one writer at a time, and `Deno.Kv` tells the others at once that the database is
 * locked, without having changed anything. They come again a moment later.
 */
function patientKv(kv: Deno.Kv): Deno.Kv {
  return wrapWrites(kv, untilUnlocked);
}

/**
 * Repeats what SQLite refuses while another connection writes.
 *
 * @throws what the last attempt threw, after as long as anybody waits for the store
 */
async function untilUnlocked<T>(write: () => Promise<T>): Promise<T> {
  const deadline = performance.now() + KV_LIMIT_MS;
  for (let tried = 0;; tried++) {
    try {
      return await write();
    } catch (error) {
      if (!isLocked(error) || performance.now() > deadline) throw error;
    }
    await pause(Math.random() * Math.min(2 ** tried, MAX_PAUSE_MS));
  }
}

/**
 * Refuses to write while the disk is full: the SQLite engine of `Deno.Kv` answers a failed write with a panic, which
 * ends the process. Reading goes on.
 *
 * @returns the same KV; its writes throw {StoreUnavailable} while there is no room
 */
export function guardKv(kv: Deno.Kv, disk: Pick<DiskSpace, "isFull">): Deno.Kv {
  return wrapWrites(kv, (write) => disk.isFull() ? Promise.reject(noRoom()) : write());
}

function noRoom(): StoreUnavailable {
  return new StoreUnavailable(
    "The disk of Watchpost is full. Nothing can be changed until it has room.",
  );
}

/** As many daily copies are kept. */
const KEPT_COPIES = 7;
const COPY = /^kv-(\d{4}-\d\d-\d\d)\.sqlite3$/;

/** Where the embedded KV is in a data folder. */
export function kvFile(dataDir: string): string {
  return join(dataDir, "kv.sqlite3");
}

/**
 * Looks through the file, which `Deno.openKv` does not: it ends the process on the first broken page that it meets.
 *
 * @returns what is wrong with it, or null; also null when there is no file
 */
export async function damageOf(path: string): Promise<string | null> {
  if (!await exists(path)) return null;
  try {
    using database = await open(path);
    const rows = database.prepare("pragma quick_check(1)").all();
    const answer = String(Object.values(rows[0] ?? {})[0] ?? "no answer");
    return answer === "ok" ? null : answer.split("\n").at(-1) ?? answer;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** The days that there is a copy of, the newest first. */
export async function kvCopies(dataDir: string): Promise<string[]> {
  try {
    const names = await Array.fromAsync(Deno.readDir(copiesDir(dataDir)), ({ name }) => name);
    return names.flatMap((name) => COPY.exec(name)?.[1] ?? []).sort().reverse();
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return [];
    throw error;
  }
}

/**
 * Copies the KV in use, once a day (UTC), and removes all but the newest seven copies. A file that is damaged is not
 * copied: it would push a good copy out.
 *
 * @returns the day of the copy, or null when there is one already
 * @throws {Error} when the file is damaged or cannot be copied
 */
export async function copyKvDaily(dataDir: string, now: Date = new Date()): Promise<string | null> {
  const day = now.toISOString().slice(0, 10);
  const kept = await kvCopies(dataDir);
  if (kept.includes(day)) return null;
  await Deno.mkdir(copiesDir(dataDir), { recursive: true, mode: 0o700 });
  const temp = `${copyPath(dataDir, day)}.part`;
  await removeIfPresent(temp);
  try {
    await copyKvFile(dataDir, temp);
    await Deno.rename(temp, copyPath(dataDir, day));
  } catch (error) {
    // Half a copy would keep the room that a full disk lacks.
    await removeIfPresent(temp);
    throw error;
  }
  for (const old of [day, ...kept].slice(KEPT_COPIES)) await Deno.remove(copyPath(dataDir, old));
  return day;
}

/**
 * Copies the KV in use as it is at one moment, for its owner alone.
 *
 * @param path a file that is not there
 * @throws {Error} when the file is damaged or cannot be copied; half a copy may be left
 */
export async function copyKvFile(dataDir: string, path: string): Promise<void> {
  using database = await open(kvFile(dataDir));
  const { backup } = await import("node:sqlite");
  await backup(database, path);
  const damage = await damageOf(path);
  if (damage !== null) throw new Error(`${kvFile(dataDir)} is damaged: ${damage}`);
  await Deno.chmod(path, 0o600);
}

/** When the entries of a file end, by their keys as it stores them, in hex: `Deno.Kv` does not tell. */
export async function endsInFile(path: string): Promise<Map<string, Date>> {
  using database = await open(path);
  const rows = database.prepare(
    "select hex(k) as key, expiration_ms as at from kv where expiration_ms > 0",
  ).all();
  return new Map(rows.map(({ key, at }) => [String(key).toLowerCase(), new Date(Number(at))]));
}

/**
 * Puts the newest copy that is whole in the place of a KV that is damaged, missing or empty. What was there is kept
 * beside it. Nobody may have the file open.
 *
 * @returns the day of the copy, `none` when there is no copy (then the way is free for an empty one), or null when the
 * file is whole and stays
 */
export async function restoreKvFile(dataDir: string): Promise<string | null> {
  const path = kvFile(dataDir);
  const isDamaged = await damageOf(path) !== null;
  if (!isDamaged && !await isEmpty(path)) return null;
  const day = await newestWholeCopy(dataDir);
  if (day === null && !isDamaged) return null;
  await moveAside(path);
  if (day === null) return "none";
  const temp = `${path}.part`;
  await Deno.copyFile(copyPath(dataDir, day), temp);
  await Deno.rename(temp, path);
  return day;
}

/** Takes away the copy that was put back, because something else failed: `restoreKvFile()` puts it back once more. */
export async function takeCopyAway(dataDir: string): Promise<void> {
  for (const suffix of ["", "-wal", "-shm"]) await removeIfPresent(kvFile(dataDir) + suffix);
}

async function newestWholeCopy(dataDir: string): Promise<string | null> {
  for (const day of await kvCopies(dataDir)) {
    if (await damageOf(copyPath(dataDir, day)) === null) return day;
  }
  return null;
}

/** A start that was refused leaves an empty one. */
async function isEmpty(path: string): Promise<boolean> {
  if (!await exists(path)) return true;
  using database = await open(path);
  const [table] = database.prepare("select 1 from sqlite_master where name = 'kv'").all();
  return table === undefined || database.prepare("select 1 from kv limit 1").all().length === 0;
}

/** With what SQLite keeps beside it, which belongs to this file alone. */
async function moveAside(path: string): Promise<void> {
  const ending = `.damaged-${new Date().toISOString().replaceAll(":", "-")}`;
  for (const suffix of ["", "-wal", "-shm"]) {
    if (await exists(path + suffix)) await Deno.rename(path + suffix, path + ending + suffix);
  }
}

function copiesDir(dataDir: string): string {
  return join(dataDir, "kv-copies");
}

function copyPath(dataDir: string, day: string): string {
  return join(copiesDir(dataDir), `kv-${day}.sqlite3`);
}

/** Loads SQLite for those alone whose KV is a file. */
async function open(path: string): Promise<DatabaseSync & Disposable> {
  const { DatabaseSync } = await import("node:sqlite");
  const database = new DatabaseSync(path, { readOnly: true });
  return Object.assign(database, { [Symbol.dispose]: () => database.close() });
}

async function exists(path: string): Promise<boolean> {
  return await Deno.stat(path).then(() => true, () => false);
}

async function removeIfPresent(path: string): Promise<void> {
  await Deno.remove(path).catch((error) => {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  });
}
