/**
 * Artifact bundles: ZIP archives with a `manifest.json` that says of each file what it is. Those of `sentry-cli` and of the newer
 * `sentry` differ in names of entries, order, compression and case of headers; both are read, with the header `SYSB` or without.
 */
import { Buffer } from "node:buffer";
import { storable } from "../../core/errors.ts";
import { normalDebugId } from "./debug_ids.ts";
import {
  BadUpload,
  DIST_LENGTH,
  FILE_BYTES,
  MANIFEST_BYTES,
  MAX_FILES,
  MAX_UNFOLDING,
  quote,
  RELEASE_LENGTH,
  URL_BYTES,
} from "./limits.ts";
import type { Artifact, ArtifactType } from "./lookup.ts";
import { type RandomAccess, readDirectory, readEntry } from "./zip.ts";

/** An archive whose manifest has been read. */
export interface Bundle {
  /** Each `""` when the manifest does not tell. */
  readonly release: string;
  readonly dist: string;
  /** Slug of the one project it was made for. */
  readonly project: string;
  /** In the order of the manifest. */
  readonly files: readonly BundledFile[];
}

/** A file of a bundle. */
export interface BundledFile {
  readonly type: ArtifactType;
  readonly url: string;
  readonly headers: Artifact["headers"];
  /** As the archive says; `read()` refuses any other. */
  readonly sizeBytes: number;
  /** @throws {BadUpload} */
  read(): Promise<Uint8Array>;
}

const HEADER = Buffer.from("SYSB\x02\0\0\0", "latin1");
const MANIFEST = "manifest.json";
const TYPES: readonly ArtifactType[] = [
  "source",
  "minified_source",
  "source_map",
  "indexed_ram_bundle",
];

/** Reads what is in a bundle, and none of its files yet. @throws {BadUpload} */
export async function openBundle(file: RandomAccess): Promise<Bundle> {
  const entries = await readDirectory(file, await headerLength(file));
  const unfolded = entries.reduce((sum, { size }) => sum + size, 0);
  if (unfolded > Math.max(FILE_BYTES, file.size * MAX_UNFOLDING)) {
    throw new BadUpload(`The bundle unfolds to more than ${MAX_UNFOLDING} times its size.`);
  }
  const byName = new Map(entries.map((entry) => [entry.name, entry]));
  const manifest = byName.get(MANIFEST);
  if (manifest === undefined) throw new BadUpload(`The bundle has no ${MANIFEST}.`);
  const parsed = parseManifest(await readEntry(file, manifest, MANIFEST_BYTES));
  const { project } = parsed;
  return {
    ...bundledFiles(parsed, (name) => {
      const entry = byName.get(name);
      return entry && { size: entry.size, read: () => readEntry(file, entry, FILE_BYTES) };
    }),
    project: typeof project === "string" ? project : "",
  };
}

/** A file that a manifest names, wherever it lies. */
type NamedFile = Pick<BundledFile, "read"> & { readonly size: number };

/**
 * What a manifest says.
 *
 * @param entryOf the file of a name; undefined: there is none
 * @param isOfMappings its files are ProGuard mappings, which no manifest but ours names
 * @throws {BadUpload}
 */
export function bundledFiles(
  { release, dist, files }: Json & { readonly files: Json },
  entryOf: (name: string) => NamedFile | undefined,
  isOfMappings = false,
): Omit<Bundle, "project"> {
  return {
    release: shortText(release, "release", RELEASE_LENGTH),
    dist: shortText(dist, "dist", DIST_LENGTH),
    files: filesOf(files, entryOf, isOfMappings ? ["proguard"] : TYPES),
  };
}

async function headerLength(file: RandomAccess): Promise<number> {
  const start = Buffer.from(await file.read(0, Math.min(file.size, HEADER.length)));
  if (start.equals(HEADER)) return HEADER.length;
  if (start.subarray(0, 4).equals(HEADER.subarray(0, 4))) {
    throw new BadUpload("The bundle is of a version that is not supported: versions up to 2 are.");
  }
  return 0;
}

/** Only own properties of it are ever asked for. */
type Json = Readonly<Record<string, unknown>>;

function parseManifest(bytes: Uint8Array): Json & { readonly files: Json } {
  let manifest: unknown;
  try {
    manifest = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    throw new BadUpload(`The ${MANIFEST} of the bundle is not JSON in UTF-8.`);
  }
  if (!isJsonObject(manifest) || !isJsonObject(manifest.files)) {
    throw new BadUpload(`The ${MANIFEST} of the bundle names no files.`);
  }
  return { ...manifest, files: manifest.files };
}

function isJsonObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A text of the manifest, which may lack it. */
function shortText(value: unknown, name: string, maxLength: number): string {
  if (typeof value !== "string") return "";
  const text = storable(value.toWellFormed());
  if (text.length <= maxLength) return text;
  throw new BadUpload(`The ${name} of the bundle is longer than ${maxLength} characters.`);
}

function filesOf(
  named: Json,
  entryOf: (name: string) => NamedFile | undefined,
  types: readonly ArtifactType[],
): BundledFile[] {
  const list = Object.entries(named);
  if (list.length > MAX_FILES) {
    throw new BadUpload(`The bundle has ${list.length} files: it may have ${MAX_FILES}.`);
  }
  const files = list.flatMap(([name, facts]) => {
    const entry = entryOf(name);
    if (entry === undefined) {
      throw new BadUpload(`The ${MANIFEST} names ${quote(name)}, which is not in the bundle.`);
    }
    return fileOf(entry, isJsonObject(facts) ? facts : {}, types) ?? [];
  });
  if (files.length === 0) {
    throw new BadUpload("There is no source file or source map in the bundle.");
  }
  return files;
}

/** Null for kinds of files that nothing can be done with. */
function fileOf(
  { size, read }: NamedFile,
  facts: Json,
  types: readonly ArtifactType[],
): BundledFile | null {
  const told = facts.type ?? "minified_source";
  const type = types.find((each) => each === told);
  if (type === undefined) return null;
  const url = storable(typeof facts.url === "string" ? facts.url.toWellFormed() : "");
  if (Buffer.byteLength(url) > URL_BYTES) {
    throw new BadUpload(`The URL ${quote(url)} is longer than ${URL_BYTES} bytes.`);
  }
  return {
    type,
    url,
    headers: headersOf(facts.headers),
    sizeBytes: size,
    read,
  };
}

/** The headers that mean something, in lower case. */
export function headersOf(headers: unknown): Artifact["headers"] {
  if (!isJsonObject(headers)) return {};
  const known = new Map(
    Object.entries(headers).flatMap(([name, value]): [string, string][] =>
      typeof value === "string" && Buffer.byteLength(value) <= URL_BYTES
        ? [[name.toLowerCase(), storable(value.toWellFormed())]]
        : []
    ),
  );
  const sourcemap = known.get("sourcemap") ?? known.get("x-sourcemap");
  const debugId = known.get("debug-id");
  return {
    ...(sourcemap !== undefined && { sourcemap }),
    ...(debugId !== undefined && { "debug-id": debugId }),
  };
}

/** The debug ids of a file, each once: the one that its header tells first, then the one in its text. */
export function debugIdsOf(
  { type, headers }: Pick<BundledFile, "type" | "headers">,
  bytes: Uint8Array,
): string[] {
  const texts = [headers["debug-id"], type === "source_map" ? idOfMap(bytes) : idOfScript(bytes)];
  return [...new Set(texts.flatMap((text) => text === undefined ? [] : normalDebugId(text) ?? []))];
}

const COMMENT = "//# debugId=";
/** A UUID with its hyphens, an age, and some blanks. */
const VALUE_BYTES = 64;

/** The last comment counts; its value ends at white space. */
function idOfScript(bytes: Uint8Array): string | undefined {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const at = text.lastIndexOf(COMMENT);
  if (at < 0) return undefined;
  const start = at + COMMENT.length;
  return text.toString("latin1", start, start + VALUE_BYTES).split(/\s/, 1)[0];
}

/**
 * Without parsing the map, which may have 64 MB. Within texts of a map quotes have backslashes before them, so these keys are
 * keys; `debug_id` wins where both are.
 */
function idOfMap(bytes: Uint8Array): string | undefined {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (const key of ['"debug_id"', '"debugId"']) {
    const at = text.indexOf(key);
    if (at < 0) continue;
    const start = at + key.length;
    const value = text.toString("latin1", start, start + VALUE_BYTES);
    const [, id] = /^\s*:\s*"([^"]+)"/.exec(value) ?? [];
    if (id !== undefined) return id;
  }
  return undefined;
}
