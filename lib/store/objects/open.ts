import { dirname, join, relative } from "node:path";
import type { Config } from "../../core/config.ts";
import type { Logger } from "../../core/log.ts";
import { waitForStore } from "../../core/waiting.ts";
import { checkKey, checkPrefix, type ListedObject, type ObjectStore } from "./store.ts";

/**
 * Opens the object store: the S3 bucket that `S3_*` name, or the folder `blobs` in the data folder.
 *
 * @param isFirst whether nobody else uses the folder yet: then what writers left unfinished is removed
 * @throws {ConfigError} when it cannot be used
 */
export async function openObjects(
  config: Config,
  log: Logger,
  isFirst = true,
): Promise<ObjectStore> {
  if (config.s3 === null) return await openFolder(join(config.dataDir, "blobs"), isFirst);
  // The S3 client is large; who does not use it does not load it.
  const { isRefusal, openS3 } = await import("./s3.ts");
  const objects = openS3(config.s3);
  try {
    await waitForStore(
      "S3 store (S3_ENDPOINT)",
      () => objects.check(),
      log,
      (error) => !isRefusal(error),
    );
    return objects;
  } catch (error) {
    objects.close();
    throw error;
  }
}

/** Unfinished files, away from all keys, which never begin with a dot. */
const TEMP_DIR = ".temp";
/** `put` loses a race with the removal of its emptied folder at most a few times. */
const MAX_ATTEMPTS = 5;

/**
 * Keeps each object as a file of the same name below `root`. A file appears whole: it is written and flushed beside and
 * then renamed.
 *
 * @throws {Error} when the folder cannot be made
 */
export async function openFolder(root: string, isFirst = true): Promise<ObjectStore> {
  const tempDir = join(root, TEMP_DIR);
  // Whatever is in there belongs to writers that died.
  if (isFirst) await ignoreMissing(Deno.remove(tempDir, { recursive: true }));
  await Deno.mkdir(tempDir, { recursive: true, mode: 0o700 });
  const newTempPath = () => join(tempDir, crypto.randomUUID());
  const flushes = new FolderFlushes();

  return {
    async put(key, bytes) {
      checkKey(key);
      const temp = newTempPath();
      try {
        await writeFlushed(temp, bytes);
        await moveInto(root, temp, join(root, key), flushes);
      } catch (error) {
        await ignoreMissing(Deno.remove(temp));
        throw error;
      }
    },
    async get(key) {
      checkKey(key);
      return await ignoreMissing(Deno.readFile(join(root, key))) ?? null;
    },
    async delete(key) {
      checkKey(key);
      await ignoreMissing(Deno.remove(join(root, key)));
      await removeEmptyFolders(root, dirname(join(root, key)));
    },
    list(prefix) {
      checkPrefix(prefix);
      return walk(root, prefix, prefix.slice(0, prefix.lastIndexOf("/") + 1));
    },
    async check() {
      const temp = newTempPath();
      await Deno.writeFile(temp, new Uint8Array(1), { createNew: true });
      await Deno.remove(temp);
    },
    close() {},
  };
}

async function writeFlushed(path: string, bytes: Uint8Array): Promise<void> {
  using file = await Deno.open(path, { write: true, createNew: true, mode: 0o600 });
  let written = 0;
  while (written < bytes.length) written += await file.write(bytes.subarray(written));
  await file.syncData();
}

async function moveInto(
  root: string,
  temp: string,
  path: string,
  flushes: FolderFlushes,
): Promise<void> {
  for (let attempt = 1;; attempt++) {
    try {
      await Deno.rename(temp, path);
      break;
    } catch (error) {
      // Its folder does not exist yet, or no longer because its last object was deleted a moment ago.
      if (!isMissing(error) || attempt === MAX_ATTEMPTS) throw error;
      await Deno.mkdir(dirname(path), { recursive: true, mode: 0o700 });
    }
  }
  await flushes.flush(root, dirname(path));
}

/**
 * Makes new names survive a power cut: the folder that holds them is flushed, and those that hold the folder. Names that
 * come while a folder is being flushed share its next flush, which begins after they are there.
 */
class FolderFlushes {
  readonly #running = new Map<string, Promise<void>>();
  /** Those that have not begun. */
  readonly #next = new Map<string, Promise<void>>();

  async flush(root: string, dir: string): Promise<void> {
    // Windows cannot open folders; its file system journals them by itself.
    if (Deno.build.os === "windows") return;
    const all: Promise<void>[] = [];
    for (let folder = dir; !relative(root, folder).startsWith(".."); folder = dirname(folder)) {
      all.push(this.#shared(folder));
    }
    await Promise.all(all);
  }

  #shared(folder: string): Promise<void> {
    let next = this.#next.get(folder);
    if (next === undefined) {
      next = this.#after(this.#running.get(folder), folder);
      this.#next.set(folder, next);
    }
    return next;
  }

  async #after(before: Promise<void> | undefined, folder: string): Promise<void> {
    // Its failure is told to those who wait for it.
    await before?.catch(() => {});
    this.#next.delete(folder);
    const running = flushFolder(folder);
    this.#running.set(folder, running);
    try {
      await running;
    } finally {
      if (this.#running.get(folder) === running) this.#running.delete(folder);
    }
  }
}

async function flushFolder(folder: string): Promise<void> {
  using file = await Deno.open(folder);
  await file.sync();
}

async function removeEmptyFolders(root: string, dir: string): Promise<void> {
  for (let folder = dir; relative(root, folder) !== ""; folder = dirname(folder)) {
    try {
      await Deno.remove(folder);
    } catch {
      // Not empty: so are those above.
      return;
    }
  }
}

async function* walk(root: string, prefix: string, dir: string): AsyncGenerator<ListedObject> {
  for (const name of await sortedNames(join(root, dir))) {
    const path = dir + name;
    if (path.endsWith("/")) {
      const isOnTheWay = path.startsWith(prefix) || prefix.startsWith(path);
      if (isOnTheWay) yield* walk(root, prefix, path);
    } else if (path.startsWith(prefix)) {
      // Null when deleted since the folder was read.
      const info = await ignoreMissing(Deno.stat(join(root, path)));
      if (info) yield { key: path, size: info.size };
    }
  }
}

/** Names in a folder; those of folders end in `/`, which puts them where key order has them: `a-b`, `a/c`. */
async function sortedNames(path: string): Promise<string[]> {
  const names: string[] = [];
  try {
    for await (const { name, isDirectory } of Deno.readDir(path)) {
      if (!name.startsWith(".")) names.push(isDirectory ? `${name}/` : name);
    }
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
  return names.sort();
}

function isMissing(error: unknown): boolean {
  return error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory;
}

async function ignoreMissing<T>(action: Promise<T>): Promise<T | undefined> {
  try {
    return await action;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}
