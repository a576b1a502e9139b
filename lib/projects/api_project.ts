import type { Organization } from "../accounts/organizations.ts";
import type { Project } from "../accounts/projects.ts";
import type { Role } from "../accounts/roles.ts";
import { organizationJson, teamJson } from "./api_organization.ts";
import { scopesOf } from "./api_scopes.ts";

/** A project as Sentry's API lists it within its organization. */
export function projectJson(project: Project, organization: Organization, role: Role) {
  const team = teamJson(organization);
  return {
    id: project.id,
    slug: project.slug,
    name: project.name,
    platform: project.platform,
    dateCreated: project.createdAt,
    firstEvent: project.firstEventAt,
    firstTransactionEvent: false,
    status: "active",
    isBookmarked: false,
    isMember: true,
    isPublic: false,
    isInternal: false,
    hasAccess: true,
    access: scopesOf(role),
    features: [],
    team,
    teams: [team],
  };
}

/** A project outside of its organization's list, with the organization. */
export function projectDetailJson(
  project: Project,
  organization: Organization,
  role: Role,
  baseUrl: string,
) {
  return {
    ...projectJson(project, organization, role),
    organization: organizationJson(organization, baseUrl),
  };
}
