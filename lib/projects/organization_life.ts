/** Deleting and restoring organizations with their projects over all stores, and the end that follows when nobody restored. */
import { forgetAuditOf } from "../store/audit.ts";
import {
  beginOrganizationPurge,
  bringOrganizationBack,
  forgetOrganization,
  listAllDeletedOrganizations,
  putOrganizationAside,
} from "../accounts/deleted_organizations.ts";
import { listDeletedProjects } from "../accounts/deleted_projects.ts";
import type { Organization } from "../accounts/organizations.ts";
import { listProjects } from "../accounts/projects.ts";
import type { Logger } from "../core/log.ts";
import { DAY_MS } from "../core/time.ts";
import type { Stores } from "../store/stores.ts";
import { deleteProject, GRACE_DAYS, restoreProject } from "./deletion.ts";

type ControlStores = Pick<Stores, "kv" | "sql">;

/**
 * Deletes an organization: its projects first, whose keys are refused from the next request on, then itself. It can be
 * restored for a week.
 *
 * @param deletedBy who asks, as people know them
 * @returns false when it was not there any more
 * @throws {StoreUnavailable} when Postgres is away: projects that were deleted before can be restored by themselves
 */
export async function deleteOrganization(
  stores: ControlStores,
  { id }: Pick<Organization, "id">,
  deletedBy: string,
): Promise<boolean> {
  const projectIds = await deleteProjects(stores, id, deletedBy);
  return await putOrganizationAside(stores.kv, id, deletedBy, projectIds);
}

/** @returns their ids */
async function deleteProjects(
  stores: ControlStores,
  organizationId: string,
  deletedBy: string,
): Promise<string[]> {
  const ids: string[] = [];
  for (const project of await listProjects(stores.kv, organizationId)) {
    if (await deleteProject(stores, project, deletedBy)) ids.push(project.id);
  }
  return ids;
}

/**
 * Restores an organization with the projects that were deleted with it.
 *
 * @returns null when it cannot be restored any more
 */
export async function restoreOrganization(
  stores: ControlStores,
  id: string,
): Promise<Organization | null> {
  const restored = await bringOrganizationBack(stores.kv, id);
  if (restored === null) return null;
  for (const projectId of restored.projectIds) await restoreProject(stores, id, projectId);
  return restored.organization;
}

/** Until when a deleted organization can be restored. */
export function restorableUntil({ deletedAt }: { readonly deletedAt: Date }): Date {
  return new Date(deletedAt.getTime() + GRACE_DAYS * DAY_MS);
}

/**
 * Ends what is over: a project that was made while its organization was deleted is deleted as well, and organizations whose
 * grace has ended and whose projects are gone are forgotten.
 *
 * @param now milliseconds since 1970
 */
export async function purgeDeletedOrganizations(
  { log, ...stores }: ControlStores & { readonly log: Logger },
  now: number = Date.now(),
): Promise<void> {
  const { kv } = stores;
  for (const deleted of await listAllDeletedOrganizations(kv)) {
    const { id } = deleted.organization;
    await deleteProjects(stores, id, deleted.deletedBy);
    if (restorableUntil(deleted).getTime() > now) continue;
    if (!await beginOrganizationPurge(kv, id)) continue;
    if ((await listDeletedProjects(kv, id)).length > 0) continue;
    await forgetAuditOf(stores.sql, id);
    await forgetOrganization(kv, id);
    log.info("forgot a deleted organization", { organization: id });
  }
}
