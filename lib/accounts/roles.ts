/** What each role may do in an organization, and who may change whose role. */
import { message, t } from "../core/language/translate.ts";

/** Weakest first: each role may do everything that those before it may. */
export const ROLES = ["viewer", "member", "admin", "manager", "owner"] as const;
export type Role = (typeof ROLES)[number];

const LABELS = {
  viewer: message("viewer"),
  member: message("member"),
  admin: message("admin"),
  manager: message("manager"),
  owner: message("owner"),
} as const satisfies Record<Role, string>;

/** What people call a role, in the reader's language. */
export function roleLabel(role: Role): string {
  return t(LABELS[role]);
}

/** For each permission the weakest role that has it. */
const WEAKEST_ROLE = {
  "organization:read": "viewer",
  /** Its name, settings and rules, but for what follows. */
  "organization:write": "manager",
  /** Deleting it, handing it over. */
  "organization:admin": "owner",
  /** How people get in from outside, with which roles: single sign-on, provisioning. */
  "sso:write": "owner",
  "audit:read": "manager",
  /** Export and deletion of what is stored about end users. */
  "people:data": "manager",
  /** Inviting people, and changing those whom {@linkcode roleChangeProblem} lets one change. */
  "member:write": "admin",
  /** Making and changing teams; their own admins change them as well. */
  "team:write": "manager",
  /** Own API tokens, which can do no more than their owner. */
  "token:write": "member",
  /** Tokens of the organization, and seeing and ending those of its members. */
  "token:admin": "manager",
  /** The project and all telemetry in it. */
  "project:read": "viewer",
  "project:create": "admin",
  "project:write": "admin",
  "project:delete": "admin",
  "issue:write": "member",
  /** For good, with all data; and dropping what comes later. */
  "issue:delete": "admin",
  "dashboard:write": "member",
  "alert:write": "member",
  "key:read": "member",
  "key:write": "admin",
  /** Releases with their commits, deploys and uploaded files: what a build server works on. */
  "release:read": "viewer",
  "release:write": "member",
} as const satisfies Record<string, Role>;

export type Permission = keyof typeof WEAKEST_ROLE;

/** What runs the whole instance and no role includes: quotas, all organizations, the spool. */
export type InstancePermission = "instance:admin";

export const PERMISSIONS = Object.keys(WEAKEST_ROLE).filter(isPermission);

/** A stolen token must not outlive its deletion: no token makes tokens, or other ways in. */
const NEVER_OF_TOKENS: readonly Permission[] = ["token:write", "token:admin", "sso:write"];

/** What an API token may be given. */
export const SCOPES: readonly Permission[] = PERMISSIONS.filter((scope) =>
  !NEVER_OF_TOKENS.includes(scope)
);

/** What is part of more than its own scope: tokens that hold one of these hold it too. */
const PART_OF: Readonly<Partial<Record<Permission, readonly Permission[]>>> = {
  "organization:write": ["organization:admin"],
  "release:read": ["project:read", "project:write", "release:write"],
  "release:write": ["project:write"],
};

/** Whether a token with these scopes may do this. */
export function scopesAllow(scopes: readonly Permission[], permission: Permission): boolean {
  return [permission, ...PART_OF[permission] ?? []].some((scope) => scopes.includes(scope));
}

/** Whether a text names a permission. */
function isPermission(text: string): text is Permission {
  return Object.hasOwn(WEAKEST_ROLE, text);
}

/** Whether a text names a role. */
export function isRole(text: string): text is Role {
  return ROLES.some((role) => role === text);
}

/** Whether members of this role may do this. */
export function roleAllows(role: Role, permission: Permission): boolean {
  return rank(role) >= rank(WEAKEST_ROLE[permission]);
}

/** The weakest role that may do this. */
export function weakestRoleFor(permission: Permission): Role {
  return WEAKEST_ROLE[permission];
}

/** The one of two roles that may do more. */
export function strongerOf(a: Role, b: Role): Role {
  return rank(a) >= rank(b) ? a : b;
}

/** One change of somebody's role; null stands for "not a member". */
interface RoleChange {
  readonly by: Role;
  readonly isSelf: boolean;
  readonly from: Role | null;
  readonly to: Role | null;
}

/**
 * Who may change whose role: members may lower their own or leave; admins decide about those below them, managers about
 * everybody but owners, owners about everybody else. Nobody raises their own role.
 *
 * @returns why the change is not allowed, as a sentence, or null when it is
 */
export function roleChangeProblem({ by, isSelf, from, to }: RoleChange): string | null {
  if (isSelf) return rank(to) > rank(from) ? t("Nobody can raise their own role.") : null;
  if (!roleAllows(by, "member:write")) {
    return t("Only admins, managers and owners can change members.");
  }
  const strongest = Math.max(rank(from), rank(to));
  if (by !== "owner" && strongest === rank("owner")) {
    return t("Only owners can make or unmake owners.");
  }
  return by === "admin" && strongest >= rank("admin")
    ? t("Admins decide about members and viewers only: ask a manager or an owner.")
    : null;
}

/** The roles that somebody of this role may give to others, weakest first. */
export function rolesGivenBy(by: Role): readonly Role[] {
  return ROLES.filter((to) => roleChangeProblem({ by, isSelf: false, from: null, to }) === null);
}

function rank(role: Role | null): number {
  return role === null ? -1 : ROLES.indexOf(role);
}
