/** Reads a backup again. */
import { lastBackup, noteBackup } from "../../accounts/last_backup.ts";
import { readObjectList } from "./copy_objects.ts";
import type { Manifest } from "./manifest.ts";
import { DamagedPart } from "./parts.ts";
import { newId, type Place } from "./place.ts";

/**
 * Reads every part that a backup needs, and compares it with its name.
 *
 * @returns a sentence for each that is missing or damaged, with what is in it
 */
export async function verify(
  place: Place,
  manifest: Manifest,
  say: (progress: string) => void,
): Promise<string[]> {
  const faults: string[] = [];
  const parts = Object.keys(manifest.sizes);
  for (const [index, part] of parts.entries()) {
    try {
      await place.parts.read(part);
    } catch (error) {
      if (!(error instanceof DamagedPart)) throw error;
      faults.push(`${error.message} (${await contentOf(place, manifest, part)})`);
    }
    say(`parts: ${index + 1} of ${parts.length}`);
  }
  return faults;
}

async function contentOf(place: Place, manifest: Manifest, part: string): Promise<string> {
  const { postgres, kv, objects } = manifest;
  const tables = postgres.tables.filter(({ parts }) => parts.includes(part));
  const has = tables.map(({ name }) => `rows of ${name}`);
  if (kv.parts.includes(part)) has.push("entries of KV");
  if (objects.parts.includes(part)) has.push("the list of objects");
  const list = await readObjectList(place.parts, objects).catch(() => new Map());
  const count = list.values().filter((each) => each.part === part).toArray().length;
  if (count > 0) has.push(`${count} objects`);
  return has.join(", ");
}

/** Notes what was found, when it is the backup that is noted as the last one. */
export async function noteVerified(
  kv: Deno.Kv,
  place: Place,
  manifest: Manifest,
  isWhole: boolean,
): Promise<void> {
  const last = await lastBackup(kv);
  if (last === null || last.to !== place.name || newId(last.startedAt) !== manifest.id) return;
  await noteBackup(kv, { ...last, checkedAt: new Date(), isWhole });
}
