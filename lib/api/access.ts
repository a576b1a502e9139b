import {
  authorize,
  Denied,
  listVisibleOrganizations,
  type OrganizationAccess,
  type ProjectAccess,
  type TeamAccess,
  type TeamPermission,
} from "../accounts/authorize.ts";
import type { Permission } from "../accounts/members.ts";
import { listVisibleProjects } from "../accounts/visibility.ts";
import { type ApiContext, behind } from "./route.ts";

/**
 * Lets a request pass to the organization in its address, by slug or id.
 *
 * @throws {Denied} as `authorize()`
 */
export function requireOrganization(
  { state, params }: ApiContext,
  permission: Permission,
): Promise<OrganizationAccess> {
  const organizationSlug = params.organization ?? "";
  return authorize(state.services.kv, state.actor, { organizationSlug }, permission);
}

/**
 * Lets a request pass to the project in its address, by slugs or ids.
 *
 * @throws {Denied} as `authorize()`
 */
export function requireProject(
  { state, params }: ApiContext,
  permission: Permission,
): Promise<ProjectAccess> {
  const target = {
    organizationSlug: params.organization ?? "",
    projectSlug: params.project ?? "",
  };
  return authorize(state.services.kv, state.actor, target, permission);
}

/**
 * Lets a request pass to the team in its address, by slugs or ids, where its admins may more than other members.
 *
 * @throws {Denied} as `authorize()`
 */
export function requireTeam(
  { state, params }: ApiContext,
  permission: TeamPermission,
): Promise<TeamAccess> {
  const target = { organizationSlug: params.organization ?? "", team: params.team ?? "" };
  return authorize(state.services.kv, state.actor, target, permission);
}

/**
 * Lets a request pass to the projects that `?project=` and `?projectSlug=` name, by id or slug, any number of times.
 * Without them, or with `-1`, to all of the organization.
 *
 * @throws {Denied} as `authorize()`, for the first that the actor may not see
 */
async function requireProjectsOfQuery(
  ctx: ApiContext,
  permission: Permission,
): Promise<ProjectAccess[]> {
  const { kv } = ctx.state.services;
  const access = await requireOrganization(ctx, permission);
  const { id: organizationSlug } = access.organization;
  const named = ["project", "projectSlug"].flatMap((name) => ctx.url.searchParams.getAll(name))
    .filter((name) => name !== "");
  if (named.length === 0 || named.includes(ALL_PROJECTS)) {
    const projects = await listVisibleProjects(kv, access);
    return projects.map((project) => ({ ...access, project }));
  }
  return await Promise.all(
    [...new Set(named)].map((projectSlug) =>
      authorize(kv, ctx.state.actor, { organizationSlug, projectSlug }, permission)
    ),
  );
}

/** How Sentry's clients say "all of them". */
const ALL_PROJECTS = "-1";

/**
 * All organizations that the actor sees.
 *
 * @throws {Denied} 401 for nobody, 403 for tokens without the scope
 */
async function visibleOrganizations(
  { state: { actor, services: { kv } } }: ApiContext,
  permission: Permission,
): Promise<OrganizationAccess[]> {
  if (actor.kind === "nobody") {
    throw new Denied(401, "Authentication credentials were not provided or are not valid.");
  }
  const organizations = await listVisibleOrganizations(kv, actor);
  return await Promise.all(
    organizations.map(({ id }) => authorize(kv, actor, { organizationId: id }, permission)),
  );
}

/** All projects that the actor sees, of every organization. @throws {Denied} as `visibleOrganizations()` */
export async function visibleProjects(ctx: ApiContext): Promise<ProjectAccess[]> {
  const accesses = await visibleOrganizations(ctx, "project:read");
  const found = await Promise.all(accesses.map(async (access) => {
    const projects = await listVisibleProjects(ctx.state.services.kv, access);
    return projects.map((project) => ({ ...access, project }));
  }));
  return found.flat();
}

/** Methods of what the address names. */
export const onOrganization = behind(requireOrganization);
export const onProject = behind(requireProject);
export const onTeam = behind<TeamAccess, TeamPermission>(requireTeam);
export const onProjectsOfQuery = behind(requireProjectsOfQuery);
export const onVisibleOrganizations = behind(visibleOrganizations);
export const onVisibleProjects = behind(visibleProjects);
