import { Denied } from "../core/errors.ts";
import type { State } from "../server/define.ts";
import { authorize, type OrganizationAccess, type ProjectAccess } from "./authorize.ts";
import type { Permission } from "./members.ts";
import type { User } from "./users.ts";

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

/**
 * The person who is signed in, for pages that belong to no project and no organization.
 *
 * @throws {Denied} 401 for everybody else
 */
export function requireUser({ actor }: State): User {
  if (actor.kind !== "user") throw new Denied(401, "Sign in first.");
  return actor.user;
}
