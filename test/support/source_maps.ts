import * as esbuild from "esbuild";
import { createHash } from "node:crypto";
import { fileKey, packFile } from "@/lib/sourcemaps/artifacts/stored_files.ts";
import { normalDebugId } from "@/lib/sourcemaps/artifacts/debug_ids.ts";
import type { Sql } from "@/lib/store/database.ts";
import type { ObjectStore } from "@/lib/store/objects/store.ts";
import { childrenEnded } from "./children_ended.ts";

/** A file as bundles have them. */
export interface UploadedFile {
  readonly type: "source" | "minified_source" | "source_map" | "proguard";
  readonly url: string;
  readonly text: string;
  readonly debugId?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface UploadedBundle {
  readonly release?: string;
  readonly dist?: string;
  readonly files: readonly UploadedFile[];
}

/** Stores a bundle as an upload does, and notes that it is ready. @returns its id */
export async function storeBundle(
  { sql, objects }: { readonly sql: Sql; readonly objects: ObjectStore },
  projectId: string,
  { release = "", dist = "", files }: UploadedBundle,
): Promise<string> {
  const bundleId = crypto.randomUUID();
  const sizes = files.map(({ text }) => new TextEncoder().encode(text));
  await sql`
    insert into artifact_bundles (project_id, bundle_id, organization_id, kind, sha1, release, dist,
      file_count, debug_id_count, size_bytes, last_used_on)
    values (${projectId}, ${bundleId}, 1, 'bundle', ${
    createHash("sha1").update(bundleId).digest("hex")
  }, ${release}, ${dist}, ${files.length}, 0, ${
    sizes.reduce((sum, { length }) => sum + length, 0)
  }, current_date)
  `;
  for (const [place, { type, url, debugId, headers = {} }] of files.entries()) {
    const fileId = crypto.randomUUID();
    const bytes = sizes[place] ?? new Uint8Array();
    await objects.put(fileKey("1", fileId), packFile(bytes));
    await sql`
      insert into artifacts (project_id, bundle_id, place, organization_id, file_id, type, debug_id,
        release, dist, url, headers, size_bytes, uploaded_at)
      values (${projectId}, ${bundleId}, ${place}, 1, ${fileId}, ${type}, ${
      normalDebugId(debugId ?? "")
    }, ${release}, ${dist}, ${url}, ${sql.json({ ...headers })}, ${bytes.length}, clock_timestamp())
    `;
  }
  await sql`insert into ready_bundles (project_id, bundle_id) values (${projectId}, ${bundleId})`;
  return bundleId;
}

/** A script as it is deployed, with its map. */
export interface Minified {
  readonly code: string;
  readonly map: string;
}

/** Minifies TypeScript as build tools do. */
export async function minified(
  source: string,
  name: string,
  options: esbuild.TransformOptions = {},
): Promise<Minified> {
  const { code, map } = await esbuild.transform(source, {
    loader: "ts",
    minify: true,
    sourcemap: "external",
    sourcefile: name,
    ...options,
  });
  // The program that it talks to would outlive the test, and does for a moment after it was told to stop.
  await esbuild.stop();
  await childrenEnded();
  return { code, map };
}

/** Where a text is in minified code, as browsers count: both from 1. */
export function positionIn(code: string, text: string): { lineno: number; colno: number } {
  const at = code.indexOf(text);
  if (at < 0) throw new Error(`There is no ${text} in ${code}`);
  const before = code.slice(0, at).split("\n");
  return { lineno: before.length, colno: (before.at(-1)?.length ?? 0) + 1 };
}
