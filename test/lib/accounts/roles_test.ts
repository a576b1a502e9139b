import assert from "node:assert/strict";
import {
  isRole,
  type Permission,
  PERMISSIONS,
  type Role,
  roleAllows,
  roleChangeProblem,
  ROLES,
  SCOPES,
} from "@/lib/accounts/members.ts";

/** Columns: viewer, member, admin, manager, owner. */
const ALLOWED: Record<Permission, string> = {
  "organization:read": "yes yes yes yes yes",
  "organization:write": "no  no  no  yes yes",
  "organization:admin": "no  no  no  no  yes",
  "sso:write": "no  no  no  no  yes",
  "audit:read": "no  no  no  yes yes",
  "people:data": "no  no  no  yes yes",
  "member:write": "no  no  yes yes yes",
  "team:write": "no  no  no  yes yes",
  "token:write": "no  yes yes yes yes",
  "token:admin": "no  no  no  yes yes",
  "project:read": "yes yes yes yes yes",
  "project:create": "no  no  yes yes yes",
  "project:write": "no  no  yes yes yes",
  "project:delete": "no  no  yes yes yes",
  "issue:write": "no  yes yes yes yes",
  "issue:delete": "no  no  yes yes yes",
  "dashboard:write": "no  yes yes yes yes",
  "alert:write": "no  yes yes yes yes",
  "key:read": "no  yes yes yes yes",
  "key:write": "no  no  yes yes yes",
  "release:read": "yes yes yes yes yes",
  "release:write": "no  yes yes yes yes",
};

Deno.test("each role has exactly the permissions of the table", () => {
  const found = Object.fromEntries(PERMISSIONS.map((permission) => [
    permission,
    ROLES.map((role) => roleAllows(role, permission) ? "yes" : "no").join(" "),
  ]));
  const expected = Object.fromEntries(
    Object.entries(ALLOWED).map(([permission, cells]) => [permission, cells.replace(/ +/g, " ")]),
  );
  assert.deepEqual(found, expected);
});

Deno.test("an API token can be given every permission but those that make tokens and other ways in", () => {
  assert.deepEqual(
    PERMISSIONS.filter((permission) => !SCOPES.includes(permission)),
    ["sso:write", "token:write", "token:admin"],
  );
});

Deno.test("isRole() knows the five roles and no property of objects", () => {
  assert.ok(ROLES.every(isRole));
  assert.ok(!["", "root", "Owner", "constructor", "__proto__"].some(isRole));
});

/** Every change of somebody else's role that is allowed, as `by: from>to`. */
const ALLOWED_CHANGES = new Set(
  `
  admin: none>viewer  admin: none>member
  admin: viewer>none  admin: viewer>viewer  admin: viewer>member
  admin: member>none  admin: member>viewer  admin: member>member
  manager: none>viewer  manager: none>member  manager: none>admin  manager: none>manager
  manager: viewer>none  manager: viewer>viewer  manager: viewer>member  manager: viewer>admin  manager: viewer>manager
  manager: member>none  manager: member>viewer  manager: member>member  manager: member>admin  manager: member>manager
  manager: admin>none  manager: admin>viewer  manager: admin>member  manager: admin>admin  manager: admin>manager
  manager: manager>none  manager: manager>viewer  manager: manager>member  manager: manager>admin  manager: manager>manager
  owner: none>viewer  owner: none>member  owner: none>admin  owner: none>manager  owner: none>owner
  owner: viewer>none  owner: viewer>viewer  owner: viewer>member  owner: viewer>admin  owner: viewer>manager  owner: viewer>owner
  owner: member>none  owner: member>viewer  owner: member>member  owner: member>admin  owner: member>manager  owner: member>owner
  owner: admin>none  owner: admin>viewer  owner: admin>member  owner: admin>admin  owner: admin>manager  owner: admin>owner
  owner: manager>none  owner: manager>viewer  owner: manager>member  owner: manager>admin  owner: manager>manager  owner: manager>owner
  owner: owner>none  owner: owner>viewer  owner: owner>member  owner: owner>admin  owner: owner>manager  owner: owner>owner
  `.trim().split(/\s{2,}/),
);

const STANDINGS: (Role | null)[] = [null, ...ROLES];

Deno.test("who may change somebody else's role is exactly the list", () => {
  const allowed = new Set<string>();
  for (const by of ROLES) {
    for (const from of STANDINGS) {
      for (const to of STANDINGS) {
        if (from === null && to === null) continue;
        if (roleChangeProblem({ by, isSelf: false, from, to }) !== null) continue;
        allowed.add(`${by}: ${from ?? "none"}>${to ?? "none"}`);
      }
    }
  }
  assert.deepEqual(allowed, ALLOWED_CHANGES);
});

Deno.test("everybody may lower their own role or leave, and nobody may raise it", () => {
  for (const [i, from] of STANDINGS.entries()) {
    for (const [j, to] of STANDINGS.entries()) {
      for (const by of ROLES) {
        const problem = roleChangeProblem({ by, isSelf: true, from, to });
        assert.equal(problem === null, j <= i, `${by}, self: ${from} to ${to}`);
      }
    }
  }
});
