/** Where backups lie: a folder, or a prefix in a bucket. */
import { join, relative, resolve } from "node:path";
import { z } from "zod";
import { type Config, ConfigError } from "../../core/config.ts";
import { openFolder } from "../../store/objects/open.ts";
import type { ObjectStore } from "../../store/objects/store.ts";
import { type Cipher, knownCipher, newCipher } from "./cipher.ts";
import { type Manifest, readManifest } from "./manifest.ts";
import { Parts } from "./parts.ts";

/** A place of backups, open. */
export interface Place extends Disposable {
  /** As its operator knows it. */
  readonly name: string;
  readonly parts: Parts;
  /** The ids of its backups, which are the times they were begun at, the oldest first. */
  list(): Promise<string[]>;
  /** @param id the newest one when absent @throws {ConfigError} when there is none, or it cannot be used */
  read(id?: string): Promise<Manifest>;
  /** Makes a backup one of the list. */
  write(manifest: Manifest): Promise<void>;
  delete(id: string): Promise<void>;
}

const HEAD = "watchpost-backup";
const PREFIX = "backups/";
const ID = /^\d{8}T\d{6}\d{3}Z$/;
const S3_ADDRESS = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,62})(?:\/(.*?))?\/*$/;

const Head = z.object({
  format: z.literal(1),
  key: z.object({ salt: z.string(), proof: z.string() }).nullable(),
});

/**
 * Opens a place.
 *
 * @param address a folder, or `s3://bucket/prefix`
 * @param isWriter whether a backup is to be written: then an empty place is begun, with the key of the settings
 * @throws {ConfigError} when it cannot be used, is no place of backups, or its key is another one
 */
export async function openPlace(
  config: Config,
  address: string,
  { isWriter }: { readonly isWriter: boolean },
): Promise<Place> {
  const store = await openStore(config, address, isWriter);
  try {
    const parts = new Parts(store, await cipherOf(config, store, address, isWriter));
    return placeOf(address, store, parts);
  } catch (error) {
    store.close();
    throw error;
  }
}

/** The id of a backup that begins now. */
export function newId(now: Date): string {
  return now.toISOString().replace(/[-:.]/g, "");
}

function placeOf(name: string, store: ObjectStore, parts: Parts): Place {
  const list = async () => {
    const objects = await Array.fromAsync(store.list(PREFIX));
    return objects.map(({ key }) => key.slice(PREFIX.length)).filter((id) => ID.test(id));
  };
  return {
    name,
    parts,
    list,
    async read(wanted) {
      const id = wanted ?? (await list()).at(-1);
      if (id === undefined) throw new ConfigError(`There is no backup in ${name}`);
      const bytes = ID.test(id) ? await store.get(PREFIX + id) : null;
      if (bytes === null) {
        const known = (await list()).join(", ");
        throw new ConfigError(`There is no backup ${id} in ${name}; there are: ${known || "none"}`);
      }
      const text = await parts.open(bytes).catch(() => null);
      const manifest = text === null ? null : readManifest(text);
      if (manifest === null || manifest !== "newer" && manifest.id !== id) {
        throw new ConfigError(
          `${name}/${PREFIX}${id} is damaged: delete this file, which the other backups do without`,
        );
      }
      if (manifest === "newer") {
        throw new ConfigError(
          `The backup ${id} was made by a newer version of Watchpost: use that`,
        );
      }
      return manifest;
    },
    async write(manifest) {
      const bytes = new TextEncoder().encode(JSON.stringify(manifest));
      await store.put(PREFIX + manifest.id, await parts.seal(bytes));
    },
    delete: (id) => store.delete(PREFIX + id),
    [Symbol.dispose]: () => store.close(),
  };
}

async function cipherOf(
  { backup: { key } }: Config,
  store: ObjectStore,
  name: string,
  isWriter: boolean,
): Promise<Cipher | null> {
  const bytes = await store.get(HEAD);
  if (bytes !== null) return await cipherOfHead(bytes, key, name);
  for await (const _ of store.list("")) {
    throw new ConfigError(`${name} is not empty and has no backups: choose another place`);
  }
  if (!isWriter) throw new ConfigError(`There is no backup in ${name}`);
  const made = key === null ? null : await newCipher(key);
  const head: z.infer<typeof Head> = { format: 1, key: made?.proof ?? null };
  await store.put(HEAD, new TextEncoder().encode(JSON.stringify(head)));
  return made?.cipher ?? null;
}

async function cipherOfHead(
  bytes: Uint8Array,
  key: string | null,
  name: string,
): Promise<Cipher | null> {
  const head = Head.safeParse(parsed(bytes)).data;
  if (head === undefined) {
    throw new ConfigError(`${name}/${HEAD} is damaged, or of a newer version of Watchpost`);
  }
  if (head.key === null && key === null) return null;
  if (head.key === null) {
    throw new ConfigError(
      `The backups in ${name} are not encrypted: choose another place for encrypted ones, or unset SERVICE_BACKUP_KEY`,
    );
  }
  if (key === null) {
    throw new ConfigError(`The backups in ${name} are encrypted: set SERVICE_BACKUP_KEY`);
  }
  return await knownCipher(key, head.key);
}

function parsed(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return null;
  }
}

async function openStore(config: Config, address: string, isWriter: boolean): Promise<ObjectStore> {
  if (!address.startsWith("s3:")) {
    const folder = resolve(address);
    refuseInside(folder, resolve(config.dataDir, "blobs"));
    refuseInside(folder, resolve(config.dataDir, "postgres"));
    if (!isWriter) await refuseMissing(folder, address);
    return await openFolder(folder, isWriter);
  }
  const [, bucket = "", prefix = ""] = S3_ADDRESS.exec(address) ?? [];
  const { s3 } = config.backup;
  if (bucket === "") throw new ConfigError(`${address} is no place: write s3://bucket/prefix`);
  if (s3 === null) {
    throw new ConfigError(
      `To use ${address}, set SERVICE_BACKUP_S3_ENDPOINT, SERVICE_BACKUP_S3_ACCESS_KEY_ID and SERVICE_BACKUP_S3_SECRET_ACCESS_KEY`,
    );
  }
  if (config.s3?.endpoint === s3.endpoint && config.s3.bucket === bucket) {
    throw new ConfigError(`${address} is the bucket that is to be copied: choose another bucket`);
  }
  const { openS3 } = await import("../../store/objects/s3.ts");
  const store = openS3({ ...s3, bucket });
  try {
    await store.check();
  } catch (error) {
    store.close();
    throw new ConfigError(
      `${address} cannot be used: ${error instanceof Error ? error.message : error}`,
    );
  }
  return prefix === "" ? store : below(store, `${prefix}/`);
}

/** What is copied must not hold its copies. */
function refuseInside(folder: string, store: string): void {
  if (relative(store, folder).startsWith("..")) return;
  throw new ConfigError(`${folder} lies in ${store}, which is copied: choose another folder`);
}

async function refuseMissing(folder: string, address: string): Promise<void> {
  const isThere = await Deno.stat(join(folder, HEAD)).then(() => true, () => false);
  if (!isThere) throw new ConfigError(`There is no backup in ${address}`);
}

/** The objects whose keys begin with a prefix, without it. */
function below(store: ObjectStore, prefix: string): ObjectStore {
  return {
    put: (key, bytes, options) => store.put(prefix + key, bytes, options),
    get: (key) => store.get(prefix + key),
    delete: (key) => store.delete(prefix + key),
    async *list(wanted) {
      for await (const { key, size } of store.list(prefix + wanted)) {
        yield { key: key.slice(prefix.length), size };
      }
    },
    check: () => store.check(),
    close: () => store.close(),
  };
}
