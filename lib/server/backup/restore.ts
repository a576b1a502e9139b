/** Puts a backup into empty stores of any kind. */
import { decodeEntries, isKvEmpty, writeEntries } from "../../accounts/copy_kv.ts";
import { keyOf } from "../../accounts/kv.ts";
import { type Config, ConfigError } from "../../core/config.ts";
import type { Logger } from "../../core/log.ts";
import type { Stores } from "../../store/stores.ts";
import { nameOfStore } from "../instance_marks.ts";
import { loadObjects, readObjectList } from "./copy_objects.ts";
import { endLoading, loadTables } from "./load_tables.ts";
import type { Manifest } from "./manifest.ts";
import { DamagedPart, nameOf, type Parts, pathOf } from "./parts.ts";
import type { Place } from "./place.ts";

interface RestoreOptions {
  readonly config: Config;
  /** Of `config`, locked for this process where they are embedded. */
  readonly stores: Stores;
  readonly place: Place;
  readonly manifest: Manifest;
  readonly log: Logger;
  readonly say: (progress: string) => void;
}

/**
 * Fills the stores. Nobody else may use them; what was interrupted goes on when it is called again, and until it has
 * come to its end no service starts on them.
 *
 * @returns names of tables that this version does not know, and that were left out
 * @throws {ConfigError} when a store is not empty, before anything is changed
 * @throws {DamagedPart} before anything is changed, when parts are missing; on the way, when one is damaged
 */
export async function restore(
  { config, stores, place, manifest, log, say }: RestoreOptions,
): Promise<string[]> {
  const { kv, sql, objects } = stores;
  const { parts } = place;
  await refuseFull(config, stores, manifest.id);
  // What is not there is found before anything is written.
  const list = await readObjectList(parts, manifest.objects);
  await refuseMissing(parts, manifest);
  await kv.set(keyOf.restoring(), manifest.id);
  const unknown = await loadTables({
    ...{ sql, parts, log, postgres: manifest.postgres },
    say: (done, of) => say(`tables: ${done} of ${of}`),
  });
  await loadObjects({
    ...{ objects, parts, list },
    say: (done, of) => say(`objects: ${done} of ${of}`),
  });
  let entries = 0;
  for (const part of manifest.kv.parts) {
    for (const piece of await parts.read(part)) {
      if (piece.name !== nameOf.entries()) continue;
      const found = decodeEntries(piece.bytes);
      await writeEntries(kv, found);
      entries += found.length;
      say(`entries: ${entries} of ${manifest.kv.entries}`);
    }
  }
  await endLoading(sql);
  await kv.delete(keyOf.restoring());
  return unknown;
}

/** What is damaged but has its length is found when it is read. @throws {DamagedPart} with the names of all of them */
async function refuseMissing(parts: Parts, { id, sizes }: Manifest): Promise<void> {
  const there = await parts.sizes();
  const faults = Object.entries(sizes).filter(([part, size]) => there.get(part) !== size)
    .map(([part]) => `${pathOf(part)} is ${there.has(part) ? "cut short" : "missing"}`);
  if (faults.length === 0) return;
  throw new DamagedPart(`The backup ${id} is not whole: ${faults.join(", ")}`);
}

/**
 * Those that the same backup is being put into are not full.
 *
 * @param id of the backup; null before there is one
 * @throws {ConfigError} with the names of those that are
 */
export async function refuseFull(
  config: Config,
  stores: Stores,
  id: string | null,
): Promise<void> {
  const { value } = await stores.kv.get<string>(keyOf.restoring());
  if (id !== null && value === id) return;
  if (value !== null) {
    throw new ConfigError(
      `The backup ${value} is not restored to its end: go on with it (--at=${value}), or empty the stores`,
    );
  }
  const full = [
    await isKvEmpty(stores.kv) ? null : nameOfStore(config, "kv"),
    await hasTables(stores) ? nameOfStore(config, "postgres") : null,
    await hasObjects(stores) ? nameOfStore(config, "objects") : null,
  ].filter((name) => name !== null);
  if (full.length === 0) return;
  throw new ConfigError(
    `Nothing is restored: ${full.join(" and ")} ${
      full.length === 1 ? "is" : "are"
    } not empty; name empty stores in the settings, or empty these`,
  );
}

async function hasTables({ sql }: Stores): Promise<boolean> {
  const [row] = await sql<{ isThere: boolean }[]>`
    select exists (
      select from pg_class
      where relnamespace = (select oid from pg_namespace where nspname = current_schema())
        and relkind in ('r', 'p')
    ) as "isThere"
  `;
  return row?.isThere ?? false;
}

async function hasObjects({ objects }: Stores): Promise<boolean> {
  for await (const _ of objects.list("")) return true;
  return false;
}
