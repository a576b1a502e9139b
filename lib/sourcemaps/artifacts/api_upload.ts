/** The addresses that tools upload to, in the words of Sentry's. */
import { z } from "zod";
import {
  authorize,
  type OrganizationAccess,
  type ProjectAccess,
} from "../../accounts/authorize.ts";
import type { Permission } from "../../accounts/members.ts";
import { listVisibleProjectIds } from "../../accounts/visibility.ts";
import { onOrganization, onProject } from "../../api/access.ts";
import { type ApiContext, ApiError, type ApiRoutes } from "../../api/route.ts";
import { Denied } from "../../core/errors.ts";
import type { Sql } from "../../store/database.ts";
import { assemble, type AssembleAnswer, missingOf, type Upload } from "./assemble.ts";
import { openBundle } from "./bundle.ts";
import { openChunks, saveChunk, sha1Of } from "./chunks.ts";
import { hyphenated, normalDebugId } from "./debug_ids.ts";
import {
  BadUpload,
  CHUNK_BYTES,
  CHUNKS_PER_REQUEST,
  CONCURRENCY,
  DIST_LENGTH,
  mebibytes,
  PROGUARD_BYTES,
  quote,
  RELEASE_LENGTH,
  REQUEST_BYTES,
} from "./limits.ts";
import { type FormFile, readFiles, unpackedPart } from "./multipart.ts";
import { proguardFile, saveBundle, uuidOfProguard } from "./save_bundle.ts";
import { isFull, spaceOf } from "./stored_files.ts";
import { inMemory, type RandomAccess, readDirectory, readEntry, type ZipEntry } from "./zip.ts";

/** What a token needs to upload: those of build servers have it. */
const UPLOAD: Permission = "release:write";

const ORGANIZATION = "/organizations/:organization";
const PROJECT = "/projects/:organization/:project";
/** How long clients that wait ask how far their upload is, in seconds. */
const MAX_WAIT_SEC = 300;
const MAX_DIFS = 1_000;

const Sha1 = z.string().toLowerCase().regex(/^[0-9a-f]{40}$/, "write a SHA-1 in hex");
const Chunks = z.array(Sha1).default([]);
const oneLine = (name: string, maxLength: number) =>
  z.string().regex(/^\P{Cc}*$/u, `write a ${name} without line breaks`)
    .max(maxLength, `write at most ${maxLength} characters`).nullish();
const AssembleBody = z.object({
  checksum: Sha1.describe("SHA-1 of the whole file"),
  chunks: Chunks.describe("SHA-1 of its chunks, in their order"),
  projects: z.array(z.union([z.string(), z.int()])).max(100).default([]),
  version: oneLine("version", RELEASE_LENGTH),
  dist: oneLine("dist", DIST_LENGTH),
});
const StateJson = z.object({
  state: z.enum(["not_found", "created", "assembling", "ok", "error"]),
  missingChunks: z.array(z.string()),
  detail: z.string().nullish(),
}).meta({ title: "Assembling" });
const DifJson = z.object({
  id: z.string(),
  uuid: z.string(),
  debugId: z.string(),
  objectName: z.string(),
  cpuName: z.string(),
  symbolType: z.string(),
  sha1: z.string(),
  data: z.object({ features: z.array(z.string()) }),
}).meta({ title: "Debug file" });
const ChunkUploadJson = z.object({
  url: z.string(),
  chunkSize: z.int(),
  chunksPerRequest: z.int(),
  maxFileSize: z.int(),
  maxRequestSize: z.int(),
  maxWait: z.int(),
  concurrency: z.int(),
  hashAlgorithm: z.string(),
  compression: z.array(z.string()),
  accept: z.array(z.string()),
});

/** What uploading tools ask for and send. */
/** Forms with files; names of parts as tools send them. */
const file = z.array(z.string()).optional();
const ChunkForm = z.object({
  file: file.describe("Chunks as they are, each with its SHA-1 as file name"),
  file_gzip: file.describe("Chunks compressed by gzip; the SHA-1 is that of the chunk itself"),
});
const ArchiveForm = z.object({
  file: z.string().describe("The ZIP archive"),
});

export const uploadRoutes: ApiRoutes = {
  [`${ORGANIZATION}/chunk-upload`]: {
    GET: onOrganization(UPLOAD, {
      summary: "How uploads of source maps are to be sent",
      answer: ChunkUploadJson,
    }, ({ state }, { organization }) => ({
      // Absolute, for older and newer tools alike. Only gzip: what tools do with the others breaks on its way.
      url:
        `${state.services.config.baseUrl}/api/0/organizations/${organization.slug}/chunk-upload/`,
      chunkSize: CHUNK_BYTES,
      chunksPerRequest: CHUNKS_PER_REQUEST,
      maxFileSize: state.services.config.bundleMaxBytes,
      maxRequestSize: REQUEST_BYTES,
      maxWait: MAX_WAIT_SEC,
      concurrency: CONCURRENCY,
      hashAlgorithm: "sha1",
      compression: ["gzip"],
      accept: [
        "release_files",
        "artifact_bundles",
        "artifact_bundles_v2",
        "debug_files",
        "proguard",
      ],
    })),
    POST: onOrganization(UPLOAD, {
      summary: "Takes chunks of an upload: parts `file` or `file_gzip`, named by their SHA-1",
      upload: ChunkForm,
      status: 200,
    }, takeChunks),
  },
  [`${ORGANIZATION}/artifactbundle/assemble`]: {
    POST: onOrganization(UPLOAD, {
      summary: "Puts an artifact bundle together from its chunks, and tells how far it is",
      body: AssembleBody,
      answer: StateJson,
    }, async (ctx, access, { body }) => {
      if (body.dist && !body.version) {
        throw ApiError.detail(400, "You need to specify a release together with a dist");
      }
      if (body.projects.length === 0) {
        throw ApiError.detail(400, "You need to specify at least one project");
      }
      const projects = await projectsNamed(ctx, access, body.projects.map(String));
      return stateJson(await assembleBundle(ctx, access, projects, body));
    }),
  },
  [`${ORGANIZATION}/releases/:version/assemble`]: {
    POST: onOrganization(UPLOAD, {
      summary: "The same for tools that know bundles of releases only",
      body: AssembleBody,
      answer: StateJson,
    }, assembleRelease),
  },
  [`${PROJECT}/files/difs/assemble`]: {
    POST: onProject(UPLOAD, {
      summary: "Puts ProGuard mapping files together from their chunks, and tells how far they are",
      body: z.record(
        z.string(),
        z.object({ name: z.string(), debug_id: z.string().nullish(), chunks: Chunks }),
      ),
      answer: z.record(
        z.string(),
        StateJson.extend({ dif: DifJson.optional().describe("The stored file") }),
      ),
    }, async ({ state }, { organization, project }, { body }) => {
      const wanted = Object.entries(body);
      if (wanted.length > MAX_DIFS) {
        throw ApiError.detail(400, `Too many files: a request may have ${MAX_DIFS}.`);
      }
      const answers = new Map<string, unknown>();
      for (const [sha1, dif] of wanted) {
        const upload = { ...dif, sha1 };
        answers.set(
          sha1,
          await assembleDif(state.services.sql, organization.id, project.id, upload),
        );
      }
      return Object.fromEntries(answers);
    }),
  },
  [`${PROJECT}/files/dsyms`]: {
    POST: onProject(UPLOAD, {
      summary: "Takes a ZIP archive of ProGuard mapping files, named `proguard/<uuid>.txt`",
      upload: ArchiveForm,
      answer: z.array(DifJson),
    }, takeProguardArchive),
  },
};

async function takeChunks(
  { req, state: { services } }: ApiContext,
  { organization }: OrganizationAccess,
): Promise<Response> {
  const files = await readFiles(req, {
    maxBytes: REQUEST_BYTES,
    maxParts: CHUNKS_PER_REQUEST,
    stopping: services.stopping,
  });
  let room = REQUEST_BYTES;
  const chunks = files.map((file) => {
    const bytes = chunkOf(file);
    room -= bytes.length;
    if (room < 0) {
      throw ApiError.detail(
        400,
        `Request too large: its chunks may have ${mebibytes(REQUEST_BYTES)}.`,
      );
    }
    const sha1 = file.name.toLowerCase();
    if (sha1Of(bytes) !== sha1) {
      throw ApiError.detail(400, `The checksum of ${quote(file.name)} does not match its content`);
    }
    return { sha1, bytes };
  });
  const { usedBytes, maxBytes } = await spaceOf(
    services.sql,
    organization.id,
    services.config.sourceMapsMaxBytes,
  );
  if (usedBytes + REQUEST_BYTES - room > maxBytes) {
    throw ApiError.detail(413, isFull(maxBytes).message);
  }
  for (const { sha1, bytes } of chunks) await saveChunk(services, organization.id, sha1, bytes);
  return new Response(null, { status: 200 });
}

function chunkOf({ field, bytes }: FormFile): Uint8Array {
  const tooLarge = `Chunk size too large: a chunk may have ${mebibytes(CHUNK_BYTES)}.`;
  if (field === "file_gzip") return unpackedPart(bytes, CHUNK_BYTES, tooLarge);
  if (field !== "file") {
    throw ApiError.detail(400, `The part ${quote(field)} is not known: send file or file_gzip.`);
  }
  if (bytes.length > CHUNK_BYTES) throw ApiError.detail(400, tooLarge);
  return bytes;
}

function assembleBundle(
  { state }: ApiContext,
  { organization }: OrganizationAccess,
  projectIds: readonly string[],
  { checksum, chunks, version, dist }: z.output<typeof AssembleBody>,
): Promise<AssembleAnswer> {
  return assemble(state.services.sql, organization.id, projectIds, {
    kind: "bundle",
    sha1: checksum,
    chunks,
    release: version ?? "",
    dist: dist ?? "",
    name: "",
  });
}

/** `error` has its detail, `ok` a null, as Sentry's have; the others none. */
function stateJson({ state, missingChunks, detail }: AssembleAnswer) {
  return { state, ...(detail !== null || state === "ok" ? { detail } : {}), missingChunks };
}

/** The ids of projects that the actor may upload to. @throws {ApiError} 400 for one that is not in the organization */
async function projectsNamed(
  { state }: ApiContext,
  { organization }: OrganizationAccess,
  names: readonly string[],
): Promise<string[]> {
  const accesses = [...new Set(names)].map((projectSlug) =>
    authorize(state.services.kv, state.actor, {
      organizationSlug: organization.id,
      projectSlug,
    }, UPLOAD).catch((error) => {
      if (!(error instanceof Denied) || error.status !== 404) throw error;
      throw ApiError.detail(400, `There is no project ${quote(projectSlug)} in this organization.`);
    })
  );
  const projects = await Promise.all(accesses);
  return [...new Set(projects.map(({ project }) => project.id))];
}

/** Tools before 2023 name the release in the address, and its project in the bundle only. */
async function assembleRelease(
  ctx: ApiContext,
  access: OrganizationAccess,
  { body }: { readonly body: z.output<typeof AssembleBody> },
) {
  const version = versionOf(ctx);
  const names = body.projects.map(String);
  if (names.length === 0) {
    const { sql } = ctx.state.services;
    const missingChunks = await missingOf(sql, access.organization.id, body.chunks);
    if (body.chunks.length === 0 || missingChunks.length > 0) {
      return stateJson({ state: "not_found", missingChunks, detail: null });
    }
    try {
      names.push(await projectOfBundle(ctx, access, body.chunks));
    } catch (error) {
      if (!(error instanceof BadUpload)) throw error;
      return stateJson({ state: "error", missingChunks: [], detail: error.message });
    }
  }
  const projects = await projectsNamed(ctx, access, names);
  return stateJson(await assembleBundle(ctx, access, projects, { ...body, version }));
}

/** The release in the address; it may have any character but a slash. @throws {ApiError} 400 */
export function versionOf({ url }: Pick<ApiContext, "url">): string {
  const [, encoded = ""] = /\/releases\/([^/]+)/.exec(url.pathname) ?? [];
  const version = oneLine("version", RELEASE_LENGTH).safeParse(unescaped(encoded));
  if (!version.success || !version.data) throw ApiError.detail(400, "Invalid version");
  return version.data;
}

function unescaped(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

/** The slug of the project that a bundle names, or of the only one there is. @throws {BadUpload} */
async function projectOfBundle(
  { state: { services } }: ApiContext,
  access: OrganizationAccess,
  chunks: readonly string[],
): Promise<string> {
  const { organization } = access;
  const file = await openChunks(services, organization.id, chunks, services.config.bundleMaxBytes);
  const { project } = await openBundle(file);
  if (project !== "") return project;
  const [only, another] = await listVisibleProjectIds(services.kv, access);
  if (only !== undefined && another === undefined) return only;
  throw new BadUpload("The bundle does not name its project: upload with --project.");
}

interface Dif {
  readonly sha1: string;
  readonly name: string;
  readonly debug_id?: string | null | undefined;
  readonly chunks: readonly string[];
}

const NO_SYMBOLS =
  "Native symbols are not supported: of debug files only ProGuard mapping files (proguard/<uuid>.txt) are taken.";

async function assembleDif(
  sql: Sql,
  organizationId: string,
  projectId: string,
  { sha1, name, chunks }: Dif,
) {
  const debugId = normalDebugId(uuidOfProguard(name) ?? "");
  if (debugId === null || !Sha1.safeParse(sha1).success) {
    return stateJson({ state: "error", missingChunks: [], detail: NO_SYMBOLS });
  }
  const upload: Upload = { kind: "proguard", sha1, chunks, release: "", dist: "", name };
  const answer = await assemble(sql, organizationId, [projectId], upload);
  return {
    ...stateJson(answer),
    ...(answer.state === "ok" && { dif: difJson({ sha1, name, debugId }) }),
  };
}

interface ProguardFile {
  readonly sha1: string;
  readonly name: string;
  readonly debugId: string;
}

function difJson({ sha1, name, debugId }: ProguardFile): z.input<typeof DifJson> {
  const uuid = hyphenated(debugId);
  return {
    id: debugId,
    uuid,
    debugId: uuid,
    objectName: name,
    cpuName: "any",
    symbolType: "proguard",
    sha1,
    data: { features: ["mapping"] },
  };
}

/** As 2.x sends mappings where it does not send chunks: each is stored before the answer. */
async function takeProguardArchive(
  { req, state: { services } }: ApiContext,
  { organization, project }: ProjectAccess,
) {
  const { sql, objects, config, stopping } = services;
  const [file] = await readFiles(req, { maxBytes: PROGUARD_BYTES, maxParts: 8, stopping });
  if (file === undefined) throw ApiError.detail(400, "Send the archive as the part file.");
  try {
    const archive = inMemory(file.bytes);
    const difs: z.input<typeof DifJson>[] = [];
    for (const entry of await readDirectory(archive)) {
      const { bundle, dif } = await mappingOf(archive, entry);
      const space = await spaceOf(sql, organization.id, config.sourceMapsMaxBytes);
      const owner = { projectId: project.id, organizationId: organization.id };
      await saveBundle({ ...bundle, ...owner }, { sql, objects, space });
      difs.push(dif);
    }
    return difs;
  } catch (error) {
    if (error instanceof BadUpload) throw ApiError.detail(400, error.message);
    throw error;
  }
}

async function mappingOf(archive: RandomAccess, entry: ZipEntry) {
  const { name } = entry;
  const debugId = normalDebugId(uuidOfProguard(name) ?? "");
  if (debugId === null) throw new BadUpload(NO_SYMBOLS);
  const bytes = await readEntry(archive, entry, PROGUARD_BYTES);
  const sha1 = sha1Of(bytes);
  return {
    dif: difJson({ sha1, name, debugId }),
    bundle: {
      kind: "proguard" as const,
      sha1,
      release: "",
      dist: "",
      files: [proguardFile(name, debugId, bytes.length, () => Promise.resolve(bytes))],
    },
  };
}
