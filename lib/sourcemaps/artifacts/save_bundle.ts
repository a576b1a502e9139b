/** Makes an upload usable: its files first, then everything that tells of them, in one transaction. */
import { v7 as uuidV7 } from "uuid";
import type { Queryable, Sql, Transaction } from "../../store/database.ts";
import type { ObjectStore } from "../../store/objects/store.ts";
import { dayOf } from "../../store/query_limits.ts";
import { saveRows, type Table } from "../../store/write_rows.ts";
import { type BundledFile, debugIdsOf } from "./bundle.ts";
import { BadUpload } from "./limits.ts";
import { keepFiles, putFile, type Space } from "./stored_files.ts";

/** How something came. */
export type BundleKind = "bundle" | "proguard" | "files";

/** What is to be made usable in a project. */
export interface NewBundle {
  readonly projectId: string;
  readonly organizationId: string;
  readonly kind: BundleKind;
  /** Of the file that was sent, in hex. */
  readonly sha1: string;
  /** Each `""` for none. */
  readonly release: string;
  readonly dist: string;
  readonly files: readonly NewFile[];
}

/** A file of an upload; `debugId` is for those that tell it neither in a header nor in their text. */
export type NewFile = BundledFile & { readonly debugId?: string };

interface ReadFile extends Omit<NewFile, "read" | "debugId"> {
  readonly fileId: string;
  readonly debugIds: readonly string[];
}

interface SaveOptions {
  readonly sql: Sql;
  readonly objects: ObjectStore;
  /** Of the organization, when the work begins. */
  readonly space: Space;
  /** Called between files. @throws to end the work */
  readonly goOn?: () => Promise<void>;
  /** Part of the transaction that makes the bundle usable. @throws to make nothing of it */
  readonly also?: (tx: Transaction, bundleId: string) => Promise<void>;
}

/**
 * Stores the files of an upload and makes a bundle of them. The same again is the same bundle.
 *
 * @returns the id of the bundle
 * @throws {BadUpload} for files that cannot be taken, or no room: nothing of it is to be seen then
 * @throws {FilesGone} when the same should be tried again
 */
export async function saveBundle(bundle: NewBundle, options: SaveOptions): Promise<string> {
  const files = await putFiles(bundle, options);
  if (bundle.release === "" && files.every(({ debugIds }) => debugIds.length === 0)) {
    throw new BadUpload(
      "Uploading a bundle without debug ids or release is prohibited: nothing could find its files.",
    );
  }
  return await options.sql.begin(async (tx) => {
    const bundleId = await insertBundle(tx, bundle, files);
    await options.also?.(tx, bundleId);
    return bundleId;
  });
}

async function putFiles(
  { organizationId, files }: NewBundle,
  { sql, objects, space, goOn }: SaveOptions,
): Promise<ReadFile[]> {
  const put: ReadFile[] = [];
  let { usedBytes } = space;
  for (const { read, debugId, ...file } of files) {
    const bytes = await read();
    const { fileId, takenBytes } = await putFile({ sql, objects }, organizationId, bytes, {
      ...space,
      usedBytes,
    });
    usedBytes += takenBytes;
    put.push({ ...file, fileId, debugIds: debugId ? [debugId] : debugIdsOf(file, bytes) });
    await goOn?.();
  }
  return put;
}

async function insertBundle(
  tx: Transaction,
  bundle: NewBundle,
  files: readonly ReadFile[],
): Promise<string> {
  const { projectId, organizationId, kind, sha1, release, dist } = bundle;
  const bundleId = uuidV7();
  const uploadedAt = new Date();
  const { count } = await tx`
    insert into artifact_bundles (project_id, bundle_id, organization_id, kind, sha1, release, dist,
      file_count, debug_id_count, size_bytes, uploaded_at, last_used_on)
    values (${projectId}, ${bundleId}, ${organizationId}, ${kind}, ${sha1}, ${release}, ${dist},
      ${files.length}, ${new Set(files.flatMap(({ debugIds }) => debugIds)).size},
      ${files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)}, ${uploadedAt}, ${
    dayOf(uploadedAt)
  })
    on conflict (project_id, kind, sha1, release, dist) do nothing
  `;
  if (count === 0) return await knownBundle(tx, bundle);
  await keepFiles(tx, organizationId, files.map(({ fileId }) => fileId));
  await saveRows(
    tx,
    ARTIFACTS,
    files.map((file, place) => ({ ...bundle, ...file, bundleId, place, uploadedAt })),
  );
  await tx`insert into ready_bundles (project_id, bundle_id) values (${projectId}, ${bundleId})`;
  return bundleId;
}

/** Whether the same upload can be used already. */
export async function isBundleKnown(sql: Queryable, bundle: NewBundle): Promise<boolean> {
  return await idOf(sql, bundle) !== null;
}

async function knownBundle(tx: Queryable, bundle: NewBundle): Promise<string> {
  const bundleId = await idOf(tx, bundle);
  if (bundleId === null) throw new Error("A bundle was deleted while it came again");
  return bundleId;
}

async function idOf(
  tx: Queryable,
  { projectId, kind, sha1, release, dist }: NewBundle,
): Promise<string | null> {
  const [row] = await tx<{ bundleId: string }[]>`
    select bundle_id as "bundleId" from artifact_bundles
    where project_id = ${projectId} and kind = ${kind} and sha1 = ${sha1} and release = ${release} and dist = ${dist}
  `;
  return row?.bundleId ?? null;
}

type ArtifactRow = ReadFile & Omit<NewBundle, "files"> & {
  readonly bundleId: string;
  readonly place: number;
  readonly uploadedAt: Date;
};

const ARTIFACTS: Table<ArtifactRow> = {
  name: "artifacts",
  key: [],
  columns: {
    bundle_id: ["uuid", (row) => row.bundleId],
    place: ["integer", (row) => row.place],
    organization_id: ["bigint", (row) => row.organizationId],
    file_id: ["uuid", (row) => row.fileId],
    type: ["text", (row) => row.type],
    debug_id: ["uuid", ({ debugIds: [id] }) => id ?? null],
    other_debug_id: ["uuid", ({ debugIds: [, id] }) => id ?? null],
    release: ["text", (row) => row.release],
    dist: ["text", (row) => row.dist],
    url: ["text", (row) => row.url],
    headers: ["json", (row) => JSON.stringify(row.headers)],
    size_bytes: ["bigint", (row) => row.sizeBytes],
    uploaded_at: ["timestamptz", (row) => row.uploadedAt],
  },
};

/** The UUID that the name of a ProGuard mapping tells: `/proguard/<uuid>.txt`, as clients write it. */
export function uuidOfProguard(name: string): string | null {
  return /(?:^|\/)proguard\/([0-9a-f-]{32,36})\.txt$/i.exec(name)?.[1] ?? null;
}

/** A ProGuard mapping as the file of an upload. */
export function proguardFile(
  name: string,
  debugId: string,
  sizeBytes: number,
  read: () => Promise<Uint8Array>,
): NewFile {
  return { type: "proguard", url: name, headers: {}, sizeBytes, debugId, read };
}
