/** Artifact bundles as the tools make them, and archives as nobody should. */
import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { crc32, deflateRawSync } from "node:zlib";
import type { Sql } from "../../lib/store/database.ts";

/** An entry of an archive; what is not said is as it should be. */
export interface TestEntry {
  readonly name: string;
  readonly bytes: Uint8Array | string;
  readonly isStored?: boolean;
  readonly flags?: number;
  readonly method?: number;
  /** What the directory says. */
  readonly size?: number;
  readonly compressedSize?: number;
  readonly crc?: number;
  readonly offset?: number;
  readonly localName?: string;
}

/** A ZIP archive, byte by byte. @param prefix before it; offsets count from its start */
export function zipOf(
  entries: readonly TestEntry[],
  prefix: Uint8Array = new Uint8Array(),
): Buffer {
  const parts: Buffer[] = [Buffer.from(prefix)];
  let at = prefix.length;
  const directory = entries.map((entry) => {
    const bytes = Buffer.from(entry.bytes as Uint8Array);
    const packed = entry.isStored ? bytes : deflateRawSync(bytes);
    const local = header(0x04034b50, 30, entry, bytes, packed);
    const localName = Buffer.from(entry.localName ?? entry.name);
    local.writeUInt16LE(localName.length, 26);
    const central = header(0x02014b50, 46, entry, bytes, packed);
    const name = Buffer.from(entry.name);
    central.writeUInt16LE(name.length, 28);
    central.writeUInt32LE(entry.offset ?? at, 42);
    parts.push(local, localName, packed);
    at += local.length + localName.length + packed.length;
    return Buffer.concat([central, name]);
  });
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(directory.reduce((sum, { length }) => sum + length, 0), 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...parts, ...directory, end]);
}

function header(
  signature: number,
  length: number,
  entry: TestEntry,
  bytes: Uint8Array,
  packed: Uint8Array,
): Buffer {
  const made = Buffer.alloc(length);
  // The directory has one field more in front.
  const from = length === 46 ? 8 : 6;
  made.writeUInt32LE(signature, 0);
  made.writeUInt16LE(entry.flags ?? 0, from);
  made.writeUInt16LE(entry.method ?? (entry.isStored ? 0 : 8), from + 2);
  made.writeUInt32LE(entry.crc ?? crc32(bytes), from + 8);
  made.writeUInt32LE(entry.compressedSize ?? packed.length, from + 12);
  made.writeUInt32LE(entry.size ?? bytes.length, from + 16);
  return made;
}

const SYSB = Buffer.from("SYSB\x02\0\0\0", "latin1");

/** A file of a bundle and what its manifest says of it. */
export interface TestFile {
  readonly text: string;
  readonly type?: string;
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface TestBundle {
  readonly files: Readonly<Record<string, TestFile>>;
  readonly release?: string;
  readonly dist?: string;
  readonly project?: string;
}

function manifestOf({ files, ...rest }: TestBundle): string {
  return JSON.stringify({
    ...rest,
    org: "acme",
    files: Object.fromEntries(
      Object.entries(files).map(([name, { text: _, ...facts }]) => [name, facts]),
    ),
  });
}

/** As `sentry-cli` makes it: with its header, deflated, the manifest last. */
export function cliBundle(bundle: TestBundle): Buffer {
  const files = Object.entries(bundle.files).map(([name, { text }]) => ({ name, bytes: text }));
  return zipOf([...files, { name: "manifest.json", bytes: manifestOf(bundle) }], SYSB);
}

/** As the newer `sentry` makes it: stored, the manifest first. */
export function newerBundle(bundle: TestBundle): Buffer {
  const files = Object.entries(bundle.files).map(([name, { text }]) => (
    { name, bytes: text, isStored: true }
  ));
  return zipOf([
    { name: "manifest.json", bytes: manifestOf(bundle), isStored: true },
    ...files,
  ], SYSB);
}

/** SHA-1 in hex. */
export function sha1(bytes: Uint8Array): string {
  return createHash("sha1").update(bytes).digest("hex");
}

export const DEBUG_ID = "13cc92ca-1f0d-4f3c-9f2a-d5be5aa8c9f1";

/** A script and its map, with a debug id in headers and contents. */
export function scriptAndMap(id = DEBUG_ID, folder = "files/_/_/"): TestBundle["files"] {
  return {
    [`${folder}app.js`]: {
      type: "minified_source",
      url: "~/app.js",
      text: `alert(1);\n//# debugId=${id}\n//# sourceMappingURL=app.js.map`,
      headers: { "debug-id": id, sourcemap: "app.js.map" },
    },
    [`${folder}app.js.map`]: {
      type: "source_map",
      url: "~/app.js.map",
      text: JSON.stringify({
        version: 3,
        sources: ["app.ts"],
        sourcesContent: ["alert(1)"],
        mappings: "AAAA",
        debugId: id,
      }),
      headers: { "debug-id": id },
    },
  };
}

/** The row of an upload without files, of the first organization. @returns its id */
export async function storedBundle(
  sql: Sql,
  projectId: string,
  release: string,
  { uploadedAt = new Date(), lastUsedOn = "2026-11-20" } = {},
): Promise<string> {
  const bundleId = crypto.randomUUID();
  await sql`
    insert into artifact_bundles (project_id, bundle_id, organization_id, kind, sha1, release, dist,
      file_count, debug_id_count, size_bytes, uploaded_at, last_used_on)
    values (${projectId}, ${bundleId}, 1, 'bundle', ${bundleId}, ${release}, '', 0, 0, 0,
      ${uploadedAt}, ${lastUsedOn})
  `;
  return bundleId;
}
