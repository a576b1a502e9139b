/** The folder of the embedded stores belongs to one process at a time. */
import { join } from "node:path";
import { type Config, ConfigError } from "../core/config.ts";
import type { SocketAddress } from "../store/embedded/server.ts";

/** Null when all three stores are external: then any number of processes may run. */
export async function lockEmbeddedData(config: Config): Promise<DataLock | null> {
  const wanted = [
    config.databaseUrl === null ? "DATABASE_URL" : null,
    config.kv === "file" ? "DENO_KV_URL" : null,
    config.s3 === null ? "S3_ENDPOINT and S3_BUCKET" : null,
  ].filter((name) => name !== null);
  if (wanted.length === 0) return null;
  return await lockDataDir(config.dataDir, `${config.host}:${config.port}`, wanted.join(", "));
}

/** What the holder of the lock writes into it, for those who come too late. */
export interface Holder {
  readonly pid: number;
  readonly since: string;
  /** Where it serves, as `host:port`. */
  readonly address: string;
  /** Where its embedded Postgres listens, for who may read this folder; absent until that is open, and without one. */
  readonly postgres?: SocketAddress;
}

/** Whether a process uses the data folder now, and which. Changes nothing. */
export async function dataFolderState(
  dataDir: string,
): Promise<{ readonly isInUse: boolean; readonly holder: Holder | null }> {
  const path = join(dataDir, "lock");
  try {
    using file = await Deno.open(path, { read: true, write: true });
    if (await file.tryLock(true)) return { isInUse: false, holder: null };
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return { isInUse: false, holder: null };
    throw error;
  }
  return { isInUse: true, holder: await readHolder(path) };
}

/** Proof that this isolate alone uses the data folder. */
interface DataLock {
  /** Tells where the embedded Postgres is. */
  tellOfPostgres(address: SocketAddress): Promise<void>;
  release(): void;
}

/**
 * Locks the data folder. The lock is the operating system's on the open file `lock`: it ends with the process, however
 * that ends, and a file that stays behind means nothing.
 *
 * @param dataDir the folder, made when absent
 * @param address where this process serves, as `host:port`
 * @param remedy which settings would do without the folder, such as `DATABASE_URL and DENO_KV_URL`
 * @throws {ConfigError} when somebody holds it, with who
 */
export async function lockDataDir(
  dataDir: string,
  address: string,
  remedy: string,
): Promise<DataLock> {
  await Deno.mkdir(dataDir, { recursive: true, mode: 0o700 });
  const path = join(dataDir, "lock");
  const file = await Deno.open(path, { create: true, read: true, write: true, mode: 0o600 });
  if (!await file.tryLock(true)) {
    file.close();
    throw new ConfigError(refusal(dataDir, remedy, await readHolder(path)));
  }
  const holder = { pid: Deno.pid, since: new Date().toISOString(), address };
  await writeHolder(file, holder);
  return {
    tellOfPostgres: (postgres) => writeHolder(file, { ...holder, postgres }),
    release: () => file.close(),
  };
}

async function writeHolder(file: Deno.FsFile, holder: Holder): Promise<void> {
  await file.truncate();
  await file.seek(0, Deno.SeekMode.Start);
  await file.write(new TextEncoder().encode(JSON.stringify(holder)));
}

/** Null when it cannot be read: on Windows a locked file is not readable, and the holder may be just writing it. */
async function readHolder(path: string): Promise<Holder | null> {
  try {
    return JSON.parse(await Deno.readTextFile(path));
  } catch {
    return null;
  }
}

function refusal(dataDir: string, remedy: string, holder: Holder | null): string {
  if (holder?.pid === Deno.pid) {
    return `Cannot start: the embedded stores in ${dataDir} serve one isolate and another one of this process has them; to run several, set ${remedy}`;
  }
  const who = holder === null
    ? "another process"
    : `process ${holder.pid} (since ${holder.since}, serving ${holder.address})`;
  return `Cannot start: ${dataDir} is in use by ${who}; stop it, or choose another folder with SERVICE_DATA_DIR`;
}
