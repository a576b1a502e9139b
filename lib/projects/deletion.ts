/** Deleting and restoring projects over all stores, and the purge that follows when nobody restored. */
import { t } from "../core/language/translate.ts";
import type { Stores } from "../store/stores.ts";
import { KV_LIMIT_MS } from "../accounts/kv.ts";
import { DAY_MS } from "../core/time.ts";
import {
  beginPurge,
  bringBack,
  forgetProject,
  listDeletedProjects,
  putAside,
} from "../accounts/deleted_projects.ts";
import type { Project } from "../accounts/projects.ts";
import type { Logger } from "../core/log.ts";
import type { ObjectStore } from "../store/objects/store.ts";
import { purgeBlobs } from "../store/expired_blobs.ts";
import type { Sql } from "../store/database.ts";
import {
  dueTombstones,
  endPurge,
  GRACE_DAYS,
  isDue,
  notePurge,
  purgeProject,
  purgesOf,
  removeDueTombstone,
  removeTombstone,
  writeTombstone,
} from "../store/deleted_projects.ts";
import { StoreUnavailable } from "../core/errors.ts";
import { withTimeLimit } from "../core/waiting.ts";

export { GRACE_DAYS } from "../store/deleted_projects.ts";

type ControlStores = Pick<Stores, "kv" | "sql">;

/** A deleted project as its organization sees it. */
export interface DeletedProjectState {
  readonly project: Project;
  readonly deletedAt: Date;
  readonly deletedBy: string;
  /** From then on it cannot be restored. */
  readonly purgeAt: Date;
  /** Null before the purge begins; then how many rows and objects are gone. */
  readonly purgedRows: number | null;
}

const PROGRESS_EVERY_MS = 2_000;

/**
 * Deletes a project: its keys are refused from the next request on, and its telemetry goes after a week in which it
 * can be restored. The tombstone comes first: while the project itself is there, it means nothing.
 *
 * @param deletedBy who asks, as people know them
 * @returns false when it was not there any more
 * @throws {StoreUnavailable} when no tombstone can be written: nothing has changed then
 */
export async function deleteProject(
  { kv, sql }: ControlStores,
  project: Project,
  deletedBy: string,
): Promise<boolean> {
  try {
    await writeTombstone(sql, { ...project, deletedBy });
  } catch (cause) {
    throw new StoreUnavailable(
      t("The project is not deleted: Postgres is away. Try again when it is back."),
      { cause },
    );
  }
  return await putAside(kv, project.id, deletedBy);
}

/**
 * Restores a deleted project of an organization, with its keys and everything stored of it.
 *
 * @returns null when there is none, or its purge has begun
 */
export async function restoreProject(
  { kv, sql }: ControlStores,
  organizationId: string,
  id: string,
): Promise<Project | null> {
  const project = await bringBack(kv, organizationId, id);
  // While the project is there its tombstone means nothing: without Postgres it may stay.
  if (project !== null) await removeTombstone(sql, id).catch(() => {});
  return project;
}

/** The deleted projects of an organization, the latest first. */
export async function deletedProjects(
  { kv, sql }: ControlStores,
  organizationId: string,
): Promise<DeletedProjectState[]> {
  const [projects, purges] = await Promise.all([
    listDeletedProjects(kv, organizationId),
    // KV knows enough to restore them while Postgres is away.
    purgesOf(sql, organizationId).catch(() => []),
  ]);
  const purgeOf = new Map(purges.map((purge) => [purge.id, purge]));
  return projects.map(({ project, deletedAt, deletedBy, isPurging }) => {
    const purge = purgeOf.get(project.id);
    return {
      project,
      deletedAt,
      deletedBy,
      purgeAt: purge?.purgeAt ?? new Date(deletedAt.getTime() + GRACE_DAYS * DAY_MS),
      purgedRows: isPurging ? purge?.rows ?? 0 : null,
    };
  });
}

export interface PurgeOptions extends Stores {
  readonly objects: ObjectStore;
  readonly log: Logger;
}

/**
 * Purges projects whose tombstone is older than the grace, one after the other. Never looks for projects that are
 * missing: what is not there now may be back after the next start.
 *
 * @param stopping ends the work between two batches; a later call does the rest
 */
export async function purgeDeletedProjects(
  { kv, sql, objects, log }: PurgeOptions,
  stopping: AbortSignal,
): Promise<void> {
  for (const id of await dueTombstones(sql)) {
    if (stopping.aborted) return;
    const start = await withTimeLimit(beginPurge(kv, id, () => isDue(sql, id)), KV_LIMIT_MS);
    if (start === "alive") {
      log.warn("kept a project that has a tombstone and is there", { project: id });
      await removeDueTombstone(sql, id);
    }
    if (start !== "begun") continue;
    log.info("purging a deleted project", { project: id });
    const progress = progressOf(sql, id);
    await progress.add(0);
    await progress.add(await purgeBlobs({ sql, objects }, id, stopping));
    await purgeProject(sql, id, stopping, progress.add);
    await progress.end();
    if (stopping.aborted) return;
    await forgetProject(kv, id);
    log.info("purged a deleted project", { project: id, rows: await endPurge(sql, id) });
  }
}

/** Adds up what is gone and writes it down every other second, for those who watch. */
function progressOf(sql: Sql, id: string) {
  let rows = 0;
  let writtenAt = -Infinity;
  async function write(): Promise<void> {
    await notePurge(sql, id, rows);
    rows = 0;
    writtenAt = performance.now();
  }
  return {
    async add(count: number): Promise<void> {
      rows += count;
      if (performance.now() - writtenAt >= PROGRESS_EVERY_MS) await write();
    },
    end: write,
  };
}
