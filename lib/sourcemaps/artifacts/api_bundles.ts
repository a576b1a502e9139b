/** Uploads in the API: what is there, and its deletion. */
import { z } from "zod";
import { onProject } from "../../api/access.ts";
import { PAGE_QUERY, readLimit } from "../../api/lists.ts";
import { type ApiContext, ApiError, type ApiRoutes, listReply, notFound } from "../../api/route.ts";
import { versionOf } from "./api_upload.ts";
import {
  type ArtifactBundle,
  DELETE_UPLOADS,
  deleteBundles,
  type Doomed,
  findBundle,
  listBundles,
  type ListedFile,
  listFiles,
} from "./bundles.ts";
import { hyphenated } from "./debug_ids.ts";
import { dropUnused } from "./stored_files.ts";

const PROJECT = "/projects/:organization/:project";
const BUNDLE = `${PROJECT}/artifact-bundles/:bundle`;
const RELEASE_FILES = `${PROJECT}/releases/:version/files`;
const Iso = z.iso.datetime();

const BundleJson = z.object({
  bundleId: z.string(),
  kind: z.enum(["bundle", "proguard", "files"]),
  associations: z.array(z.object({ release: z.string().nullable(), dist: z.string().nullable() })),
  date: Iso,
  dateModified: Iso,
  dateLastUsed: Iso,
  fileCount: z.int(),
  debugIdCount: z.int(),
  sizeBytes: z.int(),
}).meta({ title: "Artifact bundle" });
const FileJson = z.object({
  id: z.string(),
  name: z.string(),
  filePath: z.string(),
  fileType: z.string(),
  debugId: z.string().nullable(),
  headers: z.record(z.string(), z.string()),
  size: z.int(),
  dist: z.string().nullable(),
  dateCreated: Iso,
}).meta({ title: "Artifact file" });
const ListQuery = z.object({
  query: z.string().max(1_000, "write at most 1000 characters").default("")
    .describe("Part of a release, dist or URL, or a debug id"),
  ...PAGE_QUERY,
});
const DeleteQuery = z.object({
  bundleId: z.array(z.string()),
  release: z.string().optional().describe("All uploads of a release"),
});

/** Bundles and files of a project. */
export const bundleRoutes: ApiRoutes = {
  [`${PROJECT}/files/artifact-bundles`]: {
    GET: onProject("release:read", {
      summary: "The uploads of source maps, the newest first",
      query: ListQuery,
      answer: z.array(BundleJson),
    }, async (ctx, { project }, { query: { query, cursor, per_page } }) => {
      const page = await listBundles(ctx.state.services.sql, project.id, {
        query,
        cursor: cursor ?? null,
        limit: readLimit(per_page ?? null),
      });
      return listReply(ctx, page.rows.map(bundleJson), { ...page, previousCursor: null });
    }),
    DELETE: onProject(DELETE_UPLOADS, {
      summary: "Deletes uploads by bundleId, or all of a release",
      query: DeleteQuery,
    }, async (ctx, access, { query: { bundleId, release } }) => {
      if (release !== undefined) return await remove(ctx, access, { release });
      if (bundleId.length === 0) throw ApiError.fields({ bundleId: ["This field is required."] });
      await remove(ctx, access, { bundleIds: bundleId });
    }),
  },
  [BUNDLE]: {
    GET: onProject("release:read", {
      summary: "One upload",
      answer: BundleJson,
    }, async (ctx, { project }) => bundleJson(await bundleNamed(ctx, project.id))),
    DELETE: onProject(DELETE_UPLOADS, {
      summary: "Deletes an upload",
    }, (ctx, access) => remove(ctx, access, { bundleIds: [ctx.params.bundle ?? ""] })),
  },
  [`${BUNDLE}/files`]: {
    GET: onProject("release:read", {
      summary: "The files of an upload, by URL",
      query: z.object(PAGE_QUERY),
      answer: z.array(FileJson),
    }, async (ctx, { project }, { query }) => {
      const { bundleId } = await bundleNamed(ctx, project.id);
      return await filesReply(ctx, project.id, { bundleId }, query);
    }),
  },
  [RELEASE_FILES]: {
    GET: onProject(
      "project:read",
      {
        summary: "The files of all uploads of a release, by URL",
        query: z.object(PAGE_QUERY),
        answer: z.array(FileJson),
      },
      (ctx, { project }, { query }) =>
        filesReply(ctx, project.id, { release: versionOf(ctx) }, query),
    ),
    POST: onProject("release:write", {
      summary: "Refused: files are taken in bundles",
      status: 410,
    }, refuseSingleFile),
  },
  [`${RELEASE_FILES}/:file`]: {
    DELETE: onProject(DELETE_UPLOADS, {
      summary: "Refused: files are deleted with their bundle",
      status: 410,
    }, refuseSingleFile),
  },
};

function refuseSingleFile(): never {
  throw ApiError.detail(
    410,
    "Single files of a release are not supported: upload with sentry-cli 2.17 or newer, which sends bundles, and delete those.",
  );
}

async function remove(
  { state: { services } }: ApiContext,
  { organization, project }: { organization: { id: string }; project: { id: string } },
  doomed: Doomed,
): Promise<void> {
  if (await deleteBundles(services.sql, project.id, doomed) === 0) throw notFound();
  await dropUnused(services, organization.id, services.stopping);
}

async function bundleNamed(
  { params, state }: ApiContext,
  projectId: string,
): Promise<ArtifactBundle> {
  const bundle = await findBundle(state.services.sql, projectId, params.bundle ?? "");
  if (bundle === null) throw notFound();
  return bundle;
}

async function filesReply(
  ctx: ApiContext,
  projectId: string,
  of: Parameters<typeof listFiles>[2],
  { cursor, per_page }: { cursor?: string | undefined; per_page?: string | undefined },
): Promise<Response> {
  const page = await listFiles(ctx.state.services.sql, projectId, of, {
    cursor: cursor ?? null,
    limit: readLimit(per_page ?? null),
  });
  return listReply(ctx, page.rows.map(fileJson), { ...page, previousCursor: null });
}

function bundleJson(bundle: ArtifactBundle): z.input<typeof BundleJson> {
  return {
    bundleId: bundle.bundleId,
    kind: bundle.kind,
    associations: [{ release: bundle.release || null, dist: bundle.dist || null }],
    date: bundle.uploadedAt.toISOString(),
    dateModified: bundle.uploadedAt.toISOString(),
    dateLastUsed: bundle.lastUsedOn.toISOString(),
    fileCount: bundle.fileCount,
    debugIdCount: bundle.debugIdCount,
    sizeBytes: bundle.sizeBytes,
  };
}

function fileJson(file: ListedFile): z.input<typeof FileJson> {
  return {
    id: `${file.bundleId}.${file.place}`,
    name: file.url,
    filePath: file.url,
    fileType: file.type,
    debugId: file.debugId && hyphenated(file.debugId),
    headers: file.sourcemap === null ? {} : { Sourcemap: file.sourcemap },
    size: file.sizeBytes,
    dist: file.dist || null,
    dateCreated: file.uploadedAt.toISOString(),
  };
}
