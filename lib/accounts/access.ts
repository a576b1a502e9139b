import { authorize, type OrganizationAccess, type ProjectAccess } from "./authorize.ts";
import type { Permission } from "./roles.ts";
import type { State } from "../server/define.ts";

interface Asking {
  readonly state: State;
  readonly params: Record<string, string>;
}

/**
 * Lets a request for a page of `[project]` pass when its actor holds `permission` there.
 *
 * @throws {Denied} 401 for nobody, 404 for strangers, 403 for members without the permission; the root
 *   middleware turns it into the sign-in page or an error page
 */
export function requireProject(
  { state, params }: Asking,
  permission: Permission,
): Promise<ProjectAccess> {
  const projectId = params.project ?? "";
  return authorize(state.services.kv, state.actor, { projectId }, permission);
}

/** The same for pages of `[organization]`, named by its slug. */
export function requireOrganization(
  { state, params }: Asking,
  permission: Permission,
): Promise<OrganizationAccess> {
  const organizationSlug = params.organization ?? "";
  return authorize(state.services.kv, state.actor, { organizationSlug }, permission);
}
