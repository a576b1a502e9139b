/**
 * Source maps and other uploads of builds: the files as they are, and of each bundle its manifest as Sentry's artifact
 * bundles have it, with the names that the files have here.
 */
import { fileKey, readArtifact } from "../../sourcemaps/mod.ts";
import type { Sql } from "../../store/database.ts";
import type { Piece } from "../parts.ts";
import { type ExportSource, linesOf, type Range } from "./source.ts";

interface BundleRow {
  readonly at: string;
  readonly id: string;
  readonly kind: string;
  readonly sha1: string;
  readonly release: string;
  readonly dist: string;
  readonly uploadedAt: Date;
}

interface FileRow {
  readonly place: number;
  readonly organizationId: string;
  readonly fileId: string;
  readonly type: string;
  readonly url: string;
  readonly headers: unknown;
  readonly debugId: string | null;
  readonly sizeBytes: number;
}

/** Where it goes on: behind a bundle (`from` is null), or within it at a file. */
interface Place {
  readonly at: string;
  readonly id: string;
  readonly from: number | null;
}

/** Of the files of a batch, which are in memory together; a larger one is a batch of its own. */
const FILES_BYTES = 16 * 1024 ** 2;

export const artifacts: ExportSource = {
  name: "artifacts",
  async next({ sql, objects }, range, cursor) {
    const place: Place | null = cursor === null ? null : JSON.parse(cursor);
    const bundle = await bundleAt(sql, range, place);
    if (bundle === undefined) return { cursor: null, counts: {}, pieces: [] };
    const files = await filesOf(sql, range.projectId, bundle.id);
    const pieces: Piece[] = [];
    let bytes = 0;
    let next = place?.from ?? 0;
    for (const file of files.slice(next)) {
      bytes += file.sizeBytes;
      if (bytes > FILES_BYTES && pieces.length > 0) break;
      const objectKey = fileKey(file.organizationId, file.fileId);
      const content = await readArtifact(objects, { objectKey, sizeBytes: file.sizeBytes });
      if (content !== null) pieces.push({ name: nameOf(bundle, file), content });
      next++;
    }
    const isWhole = next >= files.length;
    return {
      cursor: JSON.stringify({ at: bundle.at, id: bundle.id, from: isWhole ? null : next }),
      counts: { source_maps: pieces.length },
      // Behind its files: a line stands for a bundle that is there.
      pieces: [
        ...pieces,
        ...linesOf("artifacts.jsonl", isWhole && files.length > 0 ? [lineOf(bundle, files)] : []),
      ],
    };
  },
};

async function bundleAt(
  sql: Sql,
  range: Range,
  place: Place | null,
): Promise<BundleRow | undefined> {
  const { projectId, since, until } = range;
  const behind = place === null
    ? sql``
    : place.from === null
    ? sql`and (uploaded_at, bundle_id) > (${place.at}::text::timestamptz, ${place.id}::uuid)`
    : sql`and bundle_id = ${place.id}::uuid`;
  const [bundle] = await sql<BundleRow[]>`
    select uploaded_at::text as at, bundle_id::text as id, kind, sha1, release, dist,
      uploaded_at as "uploadedAt"
    from artifact_bundles
    where project_id = ${projectId} and uploaded_at >= ${since} and uploaded_at < ${until} ${behind}
    order by uploaded_at, bundle_id limit 1
  `;
  // Somebody deleted the one that was half read.
  return bundle === undefined && place !== null && place.from !== null
    ? await bundleAt(sql, range, { ...place, from: null })
    : bundle;
}

async function filesOf(sql: Sql, projectId: string, bundleId: string): Promise<FileRow[]> {
  return await sql<FileRow[]>`
    select place, organization_id::text as "organizationId", file_id::text as "fileId", type, url,
      headers, replace(debug_id::text, '-', '') as "debugId", size_bytes::float8 as "sizeBytes"
    from artifacts where project_id = ${projectId} and bundle_id = ${bundleId} order by place
  `;
}

function nameOf({ id }: BundleRow, { place }: FileRow): string {
  return `artifacts/${id}-${place}`;
}

function lineOf(bundle: BundleRow, files: readonly FileRow[]) {
  return {
    artifactBundle: bundle.id,
    kind: bundle.kind,
    sha1: bundle.sha1,
    release: bundle.release,
    dist: bundle.dist,
    uploadedAt: bundle.uploadedAt,
    files: Object.fromEntries(files.map((file) => [nameOf(bundle, file), {
      type: file.type,
      url: file.url,
      headers: file.headers,
      size: file.sizeBytes,
      ...(file.debugId !== null && { debugId: file.debugId }),
    }])),
  };
}
