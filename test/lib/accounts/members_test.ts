import assert from "node:assert/strict";
import {
  addMember,
  type Changer,
  effectiveRole,
  listMembers,
  removeMember,
  type Role,
  roleOf,
  setRole,
} from "@/lib/accounts/members.ts";
import { listOrganizationsOf } from "@/lib/accounts/organizations.ts";
import { createOrganization } from "../../support/organizations.ts";
import { testKv } from "../../support/kv.ts";
import { person } from "../../support/people.ts";

/** An organization with one member of each role, named after it. */
async function organizationOfAllRoles(kv: Deno.Kv) {
  const [owner, admin, member, viewer, stranger] = await Promise.all(
    ["owner", "admin", "member", "viewer", "stranger"].map((name) => person(kv, name)),
  );
  assert.ok(owner && admin && member && viewer && stranger);
  const { id } = await createOrganization(kv, { name: "Acme", ownerId: owner.id });
  const by: Changer = { role: "owner", userId: owner.id };
  await addMember(kv, by, id, admin.id, "admin");
  await addMember(kv, by, id, member.id, "member");
  await addMember(kv, by, id, viewer.id, "viewer");
  return { id, owner, admin, member, viewer, stranger };
}

const as = (role: Role, { id }: { id: string }): Changer => ({ role, userId: id });

Deno.test("members have a role, strangers have none", async () => {
  await using test = await testKv();
  const org = await organizationOfAllRoles(test.kv);
  const members = await listMembers(test.kv, org.id);
  assert.deepEqual(members.map(({ user, role }) => [user.name, role]), [
    ["admin", "admin"],
    ["member", "member"],
    ["owner", "owner"],
    ["viewer", "viewer"],
  ]);
  assert.equal(await roleOf(test.kv, org.id, org.viewer.id), "viewer");
  assert.equal(await roleOf(test.kv, org.id, org.stranger.id), null);
  assert.equal(await roleOf(test.kv, "99", org.owner.id), null);
});

Deno.test("who runs the instance acts as owner of organizations they are no member of", async () => {
  await using test = await testKv();
  const org = await organizationOfAllRoles(test.kv);
  const root = { ...org.stranger, isInstanceAdmin: true };
  assert.equal(await effectiveRole(test.kv, org.id, root), "owner");
  assert.equal(await effectiveRole(test.kv, org.id, org.stranger), null);
});

Deno.test("an admin can neither make nor unmake owners, managers and admins", async () => {
  await using test = await testKv();
  const org = await organizationOfAllRoles(test.kv);
  const by = as("admin", org.admin);
  const denied = { name: "Denied", status: 403, message: /Only owners/ };
  await assert.rejects(setRole(test.kv, by, org.id, org.member.id, "owner"), denied);
  await assert.rejects(setRole(test.kv, by, org.id, org.owner.id, "viewer"), denied);
  await assert.rejects(removeMember(test.kv, by, org.id, org.owner.id), denied);
  await assert.rejects(addMember(test.kv, by, org.id, org.stranger.id, "owner"), denied);
  const above = { name: "Denied", status: 403, message: /Admins decide about members/ };
  await assert.rejects(setRole(test.kv, by, org.id, org.member.id, "admin"), above);
  await assert.rejects(addMember(test.kv, by, org.id, org.stranger.id, "manager"), above);
  assert.equal((await setRole(test.kv, by, org.id, org.member.id, "viewer")).role, "viewer");
});

Deno.test("nobody raises their own role", async () => {
  await using test = await testKv();
  const org = await organizationOfAllRoles(test.kv);
  const denied = { name: "Denied", status: 403, message: /own role/ };
  await assert.rejects(
    setRole(test.kv, as("admin", org.admin), org.id, org.admin.id, "owner"),
    denied,
  );
  await assert.rejects(
    setRole(test.kv, as("viewer", org.viewer), org.id, org.viewer.id, "member"),
    denied,
  );
  // A claim of a higher role than the member has does not help.
  await assert.rejects(
    setRole(test.kv, as("owner", org.viewer), org.id, org.viewer.id, "member"),
    denied,
  );
  await assert.rejects(
    addMember(test.kv, as("owner", org.stranger), org.id, org.stranger.id, "viewer"),
    denied,
  );
});

Deno.test("members and viewers change nobody, but may leave", async () => {
  await using test = await testKv();
  const org = await organizationOfAllRoles(test.kv);
  for (const by of [as("member", org.member), as("viewer", org.viewer)]) {
    const denied = { name: "Denied", status: 403 };
    await assert.rejects(addMember(test.kv, by, org.id, org.stranger.id, "viewer"), denied);
    await assert.rejects(setRole(test.kv, by, org.id, org.admin.id, "viewer"), denied);
    await assert.rejects(removeMember(test.kv, by, org.id, org.admin.id), denied);
    await removeMember(test.kv, by, org.id, by.userId ?? "");
    assert.equal(await roleOf(test.kv, org.id, by.userId ?? ""), null);
  }
  assert.deepEqual(await listOrganizationsOf(test.kv, org.member.id), []);
});

Deno.test("the last owner can neither leave nor step down nor be removed", async () => {
  await using test = await testKv();
  const org = await organizationOfAllRoles(test.kv);
  const last = { name: "InvalidInput", field: "role", message: /last one/ };
  const itself = as("owner", org.owner);
  const bootstrap: Changer = { role: "owner", userId: null };
  await assert.rejects(removeMember(test.kv, itself, org.id, org.owner.id), last);
  await assert.rejects(setRole(test.kv, itself, org.id, org.owner.id, "admin"), last);
  await assert.rejects(removeMember(test.kv, bootstrap, org.id, org.owner.id), last);
  await setRole(test.kv, itself, org.id, org.admin.id, "owner");
  await removeMember(test.kv, itself, org.id, org.owner.id);
  assert.equal(await roleOf(test.kv, org.id, org.owner.id), null);
});

Deno.test("owners who unmake each other at the same moment leave one", async () => {
  for (let round = 0; round < 10; round++) {
    await using test = await testKv();
    const org = await organizationOfAllRoles(test.kv);
    const bootstrap: Changer = { role: "owner", userId: null };
    await setRole(test.kv, bootstrap, org.id, org.admin.id, "owner");
    await setRole(test.kv, bootstrap, org.id, org.member.id, "owner");
    await Promise.allSettled([
      setRole(test.kv, as("owner", org.owner), org.id, org.admin.id, "viewer"),
      removeMember(test.kv, as("owner", org.admin), org.id, org.member.id),
      setRole(test.kv, as("owner", org.member), org.id, org.owner.id, "viewer"),
    ]);
    const owners = (await listMembers(test.kv, org.id)).filter(({ role }) => role === "owner");
    assert.equal(owners.length, 1);
  }
});

Deno.test("only people with an account and no membership can be added", async () => {
  await using test = await testKv();
  const org = await organizationOfAllRoles(test.kv);
  const by = as("owner", org.owner);
  await assert.rejects(addMember(test.kv, by, org.id, "nobody", "viewer"), { status: 404 });
  await assert.rejects(addMember(test.kv, by, "99", org.stranger.id, "viewer"), { status: 404 });
  await assert.rejects(addMember(test.kv, by, org.id, org.member.id, "owner"), { reason: "taken" });
  await assert.rejects(setRole(test.kv, by, org.id, org.stranger.id, "viewer"), { status: 404 });
  await assert.rejects(removeMember(test.kv, by, org.id, org.stranger.id), { status: 404 });
});
