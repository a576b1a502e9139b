/** The table of rights: who may ask for which page and which method of the API, by the rules of `authorize()` itself. */
import { TEAM_ADMIN_PERMISSIONS } from "@/lib/accounts/authorize.ts";
import {
  type InstancePermission,
  type Permission,
  PERMISSIONS,
  type Role,
  roleAllows,
  ROLES,
} from "@/lib/accounts/members.ts";
import { weakestRoleFor } from "@/lib/accounts/roles.ts";
import { permissionNames } from "@/lib/accounts/scopes.ts";
import { API_ROUTES } from "@/lib/server/api_table.ts";

/** What is asked of whoever asks for something: a permission, an account, or nothing. */
export type Right = Permission | InstancePermission | "account" | "nothing";

/** Who asks, beside the roles: a member who is admin of a team that has the project, or of the team itself. */
export const ASKERS = [
  "nobody",
  "stranger",
  "viewer",
  "member",
  "team admin",
  "admin",
  "manager",
  "owner",
  "instance admin",
] as const;
export type Asker = (typeof ASKERS)[number];

export interface RightRow {
  readonly method: string;
  /** With its parameters. */
  readonly path: string;
  readonly right: Right;
}

/** Whether somebody gets past the gate of a row. */
export function passes(asker: Asker, { path, right }: Pick<RightRow, "path" | "right">): boolean {
  if (right === "nothing") return true;
  if (asker === "nobody") return false;
  if (right === "account" || asker === "instance admin") return true;
  if (asker === "stranger" || right === "instance:admin") return false;
  if (asker !== "team admin") return roleAllows(asker, right);
  return roleAllows(roleOfTeamAdmin(path), right) ||
    /[:[]team\b/.test(path) && TEAM_ADMIN_PERMISSIONS.some((each) => each === right);
}

function roleOfTeamAdmin(path: string): Role {
  return /[:[]project\b/.test(path) ? "admin" : "member";
}

/** The one of several permissions that fewest people have. */
export function strictest(asked: readonly (Permission | InstancePermission)[]): Right | null {
  const [first, ...others] = asked;
  if (first === undefined) return null;
  return others.reduce((a, b) => rankOf(b) > rankOf(a) ? b : a, first);
}

function rankOf(permission: Permission | InstancePermission): number {
  return permission === "instance:admin" ? ROLES.length : ROLES.indexOf(weakestRoleFor(permission));
}

/** What the methods of the API ask, as each of them declares it. */
export function apiRights(): RightRow[] {
  return Object.entries(API_ROUTES).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { scope }]) => ({
      method,
      path: `/api/0${path}/`,
      right: scope ?? "nothing",
    }))
  );
}

/** `docs/rights.md`. */
export function rightsDocument(pages: readonly RightRow[]): string {
  return `# Rights

You want to know who may do what. This page is made by \`deno task rights\` from what pages and API really ask; the tests walk every
address as everybody and fail when an answer, or this page, is different.

- **Roles** of an organization, weakest first: ${
    ROLES.join(", ")
  }. Each may do everything that those before it may.
- **Team admins** are members who act as admins on the projects of their team, and decide about its people.
- **Instance admins** act as owners of every organization.
- **Signed out**: pages lead to the sign-in, the API answers 401. **Other organization**: members of another one only; 404, as for what does not exist.
- A role that is too weak is answered with 403. Where an organization shows members and viewers only the projects of their teams, other projects are 404 for them.
- A token does what both its scopes and its owner's present role allow. Tokens of an organization work on releases alone.
- *account*: whoever is signed in. *nothing*: everybody; what such an answer holds may depend on who asks, or on the link.
- Some forms let all members in and decide by what is asked: everybody may leave an organization and a team, and end their own tokens.

## What each role may do

| permission | ${ROLES.join(" | ")} | as a token's scope, in Sentry's names |
|---|${ROLES.map(() => "---").join("|")}|---|
${PERMISSIONS.map(permissionLine).join("\n")}

## Pages

${table(pages)}

## API

${table(apiRights())}
`;
}

function permissionLine(permission: Permission): string {
  const cells = ROLES.map((role) => roleAllows(role, permission) ? "✓" : "");
  const names = permissionNames(permission).map((name) => `\`${name}\``).join(" ");
  return `| \`${permission}\` | ${cells.join(" | ")} | ${names} |`;
}

const SHOWN: Readonly<Record<Asker, string>> = {
  "nobody": "signed out",
  "stranger": "other organization",
  "viewer": "viewer",
  "member": "member",
  "team admin": "team admin",
  "admin": "admin",
  "manager": "manager",
  "owner": "owner",
  "instance admin": "instance admin",
};

function table(rows: readonly RightRow[]): string {
  const head = ["", "asks", ...ASKERS.map((asker) => SHOWN[asker])];
  const lines = rows.toSorted(byPath).map((row) => [
    `${row.method} \`${row.path}\``,
    row.right,
    ...ASKERS.map((asker) => passes(asker, row) ? "✓" : ""),
  ]);
  return [head, head.map(() => "---"), ...lines].map((cells) => `| ${cells.join(" | ")} |`)
    .join("\n");
}

function byPath(a: RightRow, b: RightRow): number {
  return a.path === b.path ? a.method < b.method ? -1 : 1 : a.path < b.path ? -1 : 1;
}
