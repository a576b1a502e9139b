import { z } from "zod";
import type { OrganizationAccess } from "../accounts/authorize.ts";
import { dsn, type IngestKey } from "../accounts/keys.ts";
import { type Permission, PERMISSIONS, type Role, roleAllows } from "../accounts/members.ts";
import type { Organization } from "../accounts/organizations.ts";
import { createProject, type Project } from "../accounts/projects.ts";
import type { ApiContext } from "../api/route.ts";
import { loaderUrl } from "../sites/mod.ts";

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

const LETTER_AVATAR = { avatarType: "letter_avatar", avatarUuid: null, avatarUrl: null };

/** An organization as Sentry's API lists it. */
export function organizationJson({ id, slug, name, createdAt }: Organization, baseUrl: string) {
  return {
    id,
    slug,
    name,
    dateCreated: createdAt,
    status: { id: "active", name: "active" },
    isEarlyAdopter: false,
    require2FA: false,
    requireEmailVerification: false,
    hasAuthProvider: false,
    avatar: LETTER_AVATAR,
    features: [],
    links: { organizationUrl: baseUrl, regionUrl: baseUrl },
  };
}

/** What an organization's own address says about it beside what lists show. */
export function organizationDetailJson(
  { organization, role }: OrganizationAccess,
  baseUrl: string,
) {
  return {
    ...organizationJson(organization, baseUrl),
    role,
    orgRole: role,
    access: scopesOf(role),
    teams: [{ ...teamJson(organization), dateCreated: organization.createdAt }],
  };
}

/**
 * Sentry's clients expect projects to belong to teams. Here every organization is one team, which has
 * the organization's slug and name.
 */
function teamJson({ id, slug, name }: Organization) {
  return { id, slug, name, isMember: true, hasAccess: true };
}

/** Our permissions in the words of Sentry's scopes, which its clients look for. */
const SENTRY_SCOPES: Readonly<Record<Permission, readonly string[]>> = {
  "organization:read": ["org:read", "member:read", "team:read"],
  "organization:write": ["org:write", "org:admin"],
  "member:write": ["member:write"],
  "token:write": [],
  "project:read": ["project:read", "event:read"],
  "project:create": ["project:write"],
  "project:write": ["project:write"],
  "project:delete": ["project:admin"],
  "issue:write": ["event:write"],
  "dashboard:write": [],
  "alert:write": ["alerts:write"],
  "key:read": ["project:read"],
  "key:write": ["project:write"],
};

/** Sentry's names for what these permissions allow, each once. */
export function sentryScopes(permissions: readonly Permission[]): string[] {
  return [...new Set(permissions.flatMap((permission) => SENTRY_SCOPES[permission]))];
}

/** Sentry's names for what a role allows. */
function scopesOf(role: Role): string[] {
  return sentryScopes(PERMISSIONS.filter((permission) => roleAllows(role, permission)));
}

/** An ingest key as Sentry's API shows it, and its type, which Sentry has not. */
export function keyJson(key: IngestKey, baseUrl: string) {
  const address = dsn(baseUrl, key);
  return {
    // Sentry names a key by its public half.
    id: key.publicKey,
    name: key.name,
    label: key.name,
    public: key.publicKey,
    projectId: Number(key.projectId),
    isActive: key.isActive,
    type: key.type,
    rateLimit: key.ratePerSec ? { window: 1, count: key.ratePerSec } : null,
    // The second half of a key has no meaning any more; clients that ask for it get what works.
    dsn: {
      public: address,
      secret: address,
      // Of a server key there is no loader: it must not stand in a page.
      ...(key.type !== "server" && { cdn: loaderUrl(baseUrl, key.publicKey) }),
    },
    dateCreated: key.createdAt,
  };
}

export const NewProject = z.object({
  name: z.string(),
  slug: z.string().nullish(),
  platform: z.string().nullish(),
});

/** Makes a project in an organization. @throws {InvalidInput} "taken" when its slug is */
export async function createProjectReply(
  { state: { services: { kv, config } } }: ApiContext,
  { organization, role }: OrganizationAccess,
  { body: { name, slug, platform } }: { readonly body: z.output<typeof NewProject> },
) {
  const project = await createProject(kv, {
    organizationId: organization.id,
    name,
    platform: platform ?? "",
    ...(slug ? { slug } : {}),
  });
  return projectDetailJson(project, organization, role, config.baseUrl);
}
