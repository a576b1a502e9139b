/** Makes a backup of stores that may be in use. */
import { lastBackup, noteBackup } from "../../accounts/last_backup.ts";
import { encodeEntries, type KvEntry, waitingAudit } from "../../accounts/copy_kv.ts";
import { keyOf, leaseOf } from "../../accounts/kv.ts";
import { ConfigError, VERSION } from "../../core/config.ts";
import { MINUTE_MS } from "../../core/time.ts";
import { type CopiedObject, ObjectCopy, readObjectList } from "./copy_objects.ts";
import { copyTables } from "./copy_tables.ts";
import { bytesOf, type Manifest } from "./manifest.ts";
import { nameOf, type Parts, PartWriter } from "./parts.ts";
import { newId, type Place } from "./place.ts";
import type { Source } from "./source.ts";

const WORK = "backup";
/** One backup of an installation at a time: it renews this while it lives. */
const LEASE_MS = 5 * MINUTE_MS;
const RENEW_MS = MINUTE_MS;

export interface BackupOptions {
  /** How many backups stay, this one among them; null: all. */
  readonly keep: number | null;
  /** Nobody else uses the stores: what still holds the right to a backup was killed. @default false */
  readonly isAlone?: boolean;
  /** Told how far it is. */
  readonly say: (progress: string) => void;
}

export interface Made {
  readonly manifest: Manifest;
  /** Of parts that no backup before had, as stored. */
  readonly newBytes: number;
  /** Backups that went because of `keep`. */
  readonly deleted: readonly string[];
}

/**
 * Copies the stores into a place. Everything that was acknowledged before is in the copy, and nothing in it refers to
 * what is missing there:
 *
 * 1. objects, with requests that wait: what rows refer to is stored before the rows are;
 * 2. Postgres as it is at one moment, and KV right after;
 * 3. objects that came meanwhile.
 *
 * @throws {ConfigError} when another one is under way, or the place belongs to another installation
 */
export async function backUp(source: Source, place: Place, options: BackupOptions): Promise<Made> {
  const lease = leaseOf(source.kv, WORK, LEASE_MS);
  if (options.isAlone) await source.kv.delete(keyOf.lease(WORK));
  if (!await lease.take()) {
    throw new ConfigError("Another backup of this installation is under way");
  }
  const renewal = setInterval(() => void lease.take().catch(() => {}), RENEW_MS);
  try {
    const startedAt = new Date();
    const made = await copyAll(source, place, startedAt, options.say);
    const deleted = await deleteOld(place, options.keep);
    await noteBackup(source.kv, {
      startedAt,
      endedAt: new Date(made.manifest.endedAt),
      to: place.name,
      bytes: bytesOf(made.manifest),
      newBytes: made.newBytes,
      checkedAt: null,
      isWhole: true,
      error: null,
    });
    return { ...made, deleted };
  } catch (error) {
    await noteFailure(source.kv, error);
    throw error;
  } finally {
    clearInterval(renewal);
    await lease.giveBack();
  }
}

async function noteFailure(kv: Deno.Kv, error: unknown): Promise<void> {
  const last = await lastBackup(kv);
  if (last === null) return;
  const reason = error instanceof Error ? error.message : String(error);
  await noteBackup(kv, { ...last, error: reason });
}

async function copyAll(
  source: Source,
  place: Place,
  startedAt: Date,
  say: BackupOptions["say"],
): Promise<Omit<Made, "deleted">> {
  const instance = await instanceOf(source.kv);
  const before = await latest(place, instance);
  const there = await place.parts.sizes();
  const writer = new PartWriter(place.parts, there);
  const known = before === null ? null : await intact(place.parts, there, before);
  const objects = new ObjectCopy(
    source.objects,
    writer,
    known?.objects ?? new Map(),
    (count) => say(`objects: ${count}`),
  );
  await objects.run();
  await writer.cut();
  const audit = await waitingAudit(source.kv);
  const { postgres, kv } = await source.withPostgres(async (snapshot) => ({
    kv: await copyKv(source, audit, writer),
    postgres: await copyTables({
      snapshot,
      writer,
      before: known?.postgres ?? null,
      say: (done, of) => say(`tables: ${done} of ${of}`),
    }),
  }));
  await objects.run();
  await writer.end();
  const objectList = await objects.writeList(writer);
  const parts = new Set([
    ...postgres.tables.flatMap((table) => table.parts),
    ...kv.parts,
    ...objectList.parts,
    ...objects.partsOf(),
  ]);
  const sizeOf = (part: string) => writer.written.get(part) ?? before?.sizes[part] ?? 0;
  const manifest: Manifest = {
    format: 1,
    id: newId(startedAt),
    version: VERSION,
    startedAt: startedAt.toISOString(),
    endedAt: new Date().toISOString(),
    instance,
    postgres,
    kv,
    objects: objectList,
    sizes: Object.fromEntries([...parts].map((part) => [part, sizeOf(part)])),
  };
  await place.write(manifest);
  return { manifest, newBytes: writer.newBytes };
}

async function instanceOf(kv: Deno.Kv): Promise<string | null> {
  const { value } = await kv.get<{ readonly id: string }>(keyOf.instanceMark());
  return value?.id ?? null;
}

/** The newest backup of this installation. @throws {ConfigError} for a place that has another one's */
async function latest(place: Place, instance: string | null): Promise<Manifest | null> {
  const id = (await place.list()).at(-1);
  if (id === undefined) return null;
  const manifest = await place.read(id);
  if (manifest.instance === instance) return manifest;
  throw new ConfigError(
    `${place.name} has the backups of another installation (${manifest.instance}): choose another place`,
  );
}

/** What of a backup can be shared: what has lost a part since is copied anew. */
async function intact(
  parts: Parts,
  there: ReadonlyMap<string, number>,
  { postgres, objects, sizes }: Manifest,
): Promise<{
  readonly postgres: Manifest["postgres"];
  readonly objects: ReadonlyMap<string, CopiedObject>;
}> {
  const isThere = (part: string) => there.get(part) === sizes[part];
  const tables = postgres.tables.filter((table) => table.parts.every(isThere));
  const list = objects.parts.every(isThere) ? await readObjectList(parts, objects) : new Map();
  return {
    postgres: { ...postgres, tables },
    objects: new Map([...list].filter(([, { part }]) => isThere(part))),
  };
}

async function copyKv(
  source: Source,
  audit: readonly KvEntry[],
  writer: PartWriter,
): Promise<Manifest["kv"]> {
  const { entries, isOneMoment } = await source.copyKv();
  const there = new Set(entries.map(({ key }) => key.join("\0")));
  const moved = audit.filter(({ key }) => !there.has(key.join("\0")));
  const all = [...entries, ...moved];
  const parts: string[] = [];
  await writer.add(nameOf.entries(), encodeEntries(all), (part) => void parts.push(part));
  await writer.cut();
  return { entries: all.length, isOneMoment, parts };
}

/** Deletes the oldest backups, and the parts that no other one needs. Interrupted ones leave such parts as well. */
async function deleteOld(place: Place, keep: number | null): Promise<string[]> {
  if (keep === null) return [];
  const all = await place.list();
  const deleted = all.slice(0, Math.max(0, all.length - keep));
  const kept = new Set<string>();
  for (const id of all.slice(deleted.length)) {
    for (const part of Object.keys((await place.read(id)).sizes)) kept.add(part);
  }
  for (const id of deleted) await place.delete(id);
  await place.parts.deleteOthers(kept);
  return deleted;
}
