import type { OrganizationAccess } from "../accounts/authorize.ts";
import type { Organization } from "../accounts/organizations.ts";
import { scopesOf } from "./api_scopes.ts";

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
export function teamJson({ id, slug, name }: Organization) {
  return { id, slug, name, isMember: true, hasAccess: true };
}
