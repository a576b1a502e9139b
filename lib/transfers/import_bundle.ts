/** Uploads of builds of an export: the same files make the same bundle again. */
import type { Config } from "../core/config.ts";
import { asObject, type Raw, readInteger, readText } from "../formats/fields.ts";
import {
  BadUpload,
  bundledFiles,
  isBundleKnown,
  type NewBundle,
  normalDebugId,
  saveBundle,
  spaceOf,
} from "../sourcemaps/mod.ts";
import type { Sql } from "../store/database.ts";
import type { ObjectStore } from "../store/objects/store.ts";
import type { Counts, Transfer } from "./transfers.ts";

interface BundleServices {
  readonly sql: Sql;
  readonly objects: ObjectStore;
  readonly config: Pick<Config, "sourceMapsMaxBytes">;
}

/**
 * Makes a bundle usable, as if it had just been uploaded.
 *
 * @param file the bytes of another file of the same archive; null: there is none
 * @returns what became of its files: all of them or none
 */
export async function takeBundle(
  { sql, objects, config }: BundleServices,
  { projectId, organizationId }: Pick<Transfer, "projectId" | "organizationId">,
  raw: Raw,
  file: (name: string) => Promise<Uint8Array | null>,
): Promise<Counts> {
  const named = asObject(raw.files) ?? {};
  const count = Math.max(1, Object.keys(named).length);
  try {
    const bundle = { projectId, organizationId, ...bundleOf(raw, named, file) };
    if (await isBundleKnown(sql, bundle)) return { there_already: count };
    const space = await spaceOf(sql, organizationId, config.sourceMapsMaxBytes);
    await saveBundle(bundle, { sql, objects, space });
    return { source_maps: count };
  } catch (error) {
    if (error instanceof BadUpload) return { dropped: count };
    throw error;
  }
}

const KINDS = ["bundle", "proguard", "files"] as const;

/** @throws {BadUpload} */
function bundleOf(
  raw: Raw,
  named: Raw,
  file: (name: string) => Promise<Uint8Array | null>,
): Omit<NewBundle, "projectId" | "organizationId"> {
  const kind = KINDS.find((each) => each === raw.kind);
  const sha1 = readText(raw.sha1) ?? "";
  if (kind === undefined || !/^[0-9a-f]{40}$/.test(sha1)) {
    throw new BadUpload("The line names no kind or no SHA-1.");
  }
  const { release, dist, files } = bundledFiles({ ...raw, files: named }, (name) => {
    const size = readInteger(asObject(named[name])?.size) ?? 0;
    return { size, read: () => readWhole(file, name, size) };
  }, kind === "proguard");
  const ids = Object.values(named).map((facts) => readText(asObject(facts)?.debugId) ?? "");
  return {
    kind,
    sha1,
    release,
    dist,
    // Of others the files themselves tell it.
    files: kind !== "proguard" ? files : files.map((each, index) => {
      const debugId = normalDebugId(ids[index] ?? "");
      if (debugId === null) throw new BadUpload("A ProGuard mapping has no UUID.");
      return { ...each, debugId };
    }),
  };
}

async function readWhole(
  file: (name: string) => Promise<Uint8Array | null>,
  name: string,
  size: number,
): Promise<Uint8Array> {
  const bytes = await file(name);
  if (bytes !== null && bytes.length === size) return bytes;
  throw new BadUpload("A file of the bundle is not in the archive, or has another size.");
}
