/** Weakest first: each role may do everything that those before it may. */
export const ROLES = ["viewer", "member", "admin", "owner"] as const;
export type Role = (typeof ROLES)[number];

/** For each permission the weakest role that has it. */
const WEAKEST_ROLE = {
  "organization:read": "viewer",
  "organization:write": "owner",
  "member:write": "admin",
  /** Own API tokens, which can do no more than their owner. */
  "token:write": "member",
  /** The project and all telemetry in it. */
  "project:read": "viewer",
  "project:create": "admin",
  "project:write": "admin",
  "project:delete": "admin",
  "issue:write": "member",
  "dashboard:write": "member",
  "alert:write": "member",
  "key:read": "member",
  "key:write": "admin",
} as const satisfies Record<string, Role>;

export type Permission = keyof typeof WEAKEST_ROLE;

/** What runs the whole instance and no role includes: quotas, all organizations, the spool. */
export type InstancePermission = "instance:admin";

export const PERMISSIONS = Object.keys(WEAKEST_ROLE).filter(isPermission);

/** What an API token may be given. Tokens make no tokens: a stolen one must not outlive its deletion. */
export const SCOPES: readonly Permission[] = PERMISSIONS.filter((scope) => scope !== "token:write");

/** Whether a text names a permission. */
export function isPermission(text: string): text is Permission {
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

/** One change of somebody's role; null stands for "not a member". */
export interface RoleChange {
  readonly by: Role;
  readonly isSelf: boolean;
  readonly from: Role | null;
  readonly to: Role | null;
}

/**
 * Who may change whose role: members may lower their own or leave; admins decide about everybody but
 * owners; owners about everybody else. Nobody raises their own role.
 *
 * @returns why the change is not allowed, as a sentence, or null when it is
 */
export function roleChangeProblem({ by, isSelf, from, to }: RoleChange): string | null {
  if (isSelf) return rank(to) > rank(from) ? "Nobody can raise their own role." : null;
  if (!roleAllows(by, "member:write")) return "Only admins and owners can change members.";
  if ((from === "owner" || to === "owner") && by !== "owner") {
    return "Only owners can make or unmake owners.";
  }
  return null;
}

function rank(role: Role | null): number {
  return role === null ? -1 : ROLES.indexOf(role);
}
