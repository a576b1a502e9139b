import assert from "node:assert/strict";
import {
  acceptInvite,
  createInvite,
  findInvite,
  joinAsNewUser,
  listInvites,
  withdrawInvite,
} from "@/lib/accounts/invites.ts";
import {
  addMember,
  type Changer,
  listMembers,
  removeMember,
  roleOf,
  setRole,
} from "@/lib/accounts/members.ts";
import { createOrganization } from "../../support/organizations.ts";
import { findUserByEmail } from "@/lib/accounts/users.ts";
import { interleaved } from "../../support/interleaved_kv.ts";
import { testKv } from "../../support/kv.ts";
import { PASSWORD, person } from "../../support/people.ts";

const DAY_MS = 86_400_000;

async function acme(kv: Deno.Kv) {
  const owner = await person(kv, "owner");
  const { id } = await createOrganization(kv, { name: "Acme", ownerId: owner.id });
  const by: Changer = { role: "owner", userId: owner.id };
  const invite = (email: string, role: "viewer" | "owner" = "viewer", as = by) =>
    createInvite(kv, as, id, { email, role });
  return { id, owner, by, invite };
}

Deno.test("who invites learns nothing of whether the address has an account, and nothing of the account", async () => {
  await using test = await testKv();
  const org = await acme(test.kv);
  await person(test.kv, "ann");
  const [known, unknown] = [
    await org.invite("ANN@example.com"),
    await org.invite("eve@example.com"),
  ];
  assert.deepEqual(
    { ...known.invite, email: "", createdAt: 0, expiresAt: 0 },
    { ...unknown.invite, email: "", createdAt: 0, expiresAt: 0 },
  );
  const open = await listInvites(test.kv, org.id);
  assert.deepEqual(open.map(({ email }) => email), ["ann@example.com", "eve@example.com"]);
  assert.deepEqual((await listMembers(test.kv, org.id)).map(({ user }) => user.name), ["owner"]);
});

Deno.test("an account that somebody prepared for an address gets nothing when that address is invited", async () => {
  await using test = await testKv();
  const org = await acme(test.kv);
  const prepared = await person(test.kv, "victim");
  const { token } = await org.invite("victim@example.com");
  assert.equal(await roleOf(test.kv, org.id, prepared.id), null);
  // The one who got the link joins as somebody else, with a password that nobody else knows.
  const input = { email: "victim@example.org", name: "Victim", password: PASSWORD };
  const joined = await joinAsNewUser(test.kv, token, input);
  assert.equal(await roleOf(test.kv, org.id, joined.id), "viewer");
  assert.equal(await roleOf(test.kv, org.id, prepared.id), null);
  await assert.rejects(acceptInvite(test.kv, token, prepared.id), /does not hold any more/);
});

Deno.test("an invitation makes no account before somebody with the link chooses a password", async () => {
  await using test = await testKv();
  const org = await acme(test.kv);
  const { token } = await org.invite("new@example.com");
  assert.equal(await findUserByEmail(test.kv, "new@example.com"), null);
  const weak = { email: "new@example.com", name: "New", password: "short" };
  await assert.rejects(joinAsNewUser(test.kv, token, weak), { name: "InvalidInput" });
  assert.equal(await findUserByEmail(test.kv, "new@example.com"), null);
  assert.notEqual(await findInvite(test.kv, token), null);
});

Deno.test("a link is good for one person, for seven days, until it is replaced or withdrawn", async () => {
  await using test = await testKv();
  const org = await acme(test.kv);
  const people = await Promise.all(["ann", "bob", "cid"].map((name) => person(test.kv, name)));
  const { token, invite } = await org.invite("team@example.com");
  const results = await Promise.allSettled(
    people.map(({ id }) => acceptInvite(test.kv, token, id)),
  );
  assert.equal(results.filter(({ status }) => status === "fulfilled").length, 1);
  assert.equal((await listMembers(test.kv, org.id)).length, 2);
  assert.deepEqual(await listInvites(test.kv, org.id), []);

  assert.equal(invite.expiresAt.getTime() - invite.createdAt.getTime(), 7 * DAY_MS);
  const first = await org.invite("late@example.com");
  assert.equal(await findInvite(test.kv, first.token, Date.now() + 7 * DAY_MS), null);
  const second = await org.invite("late@example.com");
  assert.equal(await findInvite(test.kv, first.token), null);
  await withdrawInvite(test.kv, org.by, org.id, "LATE@example.com");
  assert.equal(await findInvite(test.kv, second.token), null);
});

Deno.test("an invitation holds as long as whoever made it could still make it", async () => {
  await using test = await testKv();
  const org = await acme(test.kv);
  const admin = await person(test.kv, "admin");
  await addMember(test.kv, org.by, org.id, admin.id, "admin");
  const as: Changer = { role: "admin", userId: admin.id };
  await assert.rejects(org.invite("eve@example.com", "owner", as), /Only owners/);
  await assert.rejects(org.invite("admin@example.com"), { reason: "taken" });
  const { token } = await org.invite("eve@example.com", "viewer", as);
  assert.notEqual(await findInvite(test.kv, token), null);
  await setRole(test.kv, org.by, org.id, admin.id, "member");
  assert.equal(await findInvite(test.kv, token), null);
  await assert.rejects(
    withdrawInvite(test.kv, { role: "member", userId: admin.id }, org.id, "eve@example.com"),
    { status: 403 },
  );
});

Deno.test("nobody joins by an invitation of somebody who is removed while the new password is hashed", async () => {
  await using test = await testKv();
  const org = await acme(test.kv);
  const admin = await person(test.kv, "admin");
  await addMember(test.kv, org.by, org.id, admin.id, "admin");
  const { token } = await org.invite("eve@example.com", "viewer", {
    role: "admin",
    userId: admin.id,
  });
  // The first read of an account by its address follows the hash.
  const slow = interleaved(
    test.kv,
    "user_by_email",
    () => removeMember(test.kv, org.by, org.id, admin.id),
  );
  const input = { email: "eve@example.com", name: "Eve", password: PASSWORD };
  await assert.rejects(joinAsNewUser(slow, token, input), /does not hold any more/);
  assert.equal(await findUserByEmail(test.kv, "eve@example.com"), null);
});

Deno.test("somebody who is only invited is no owner who could take over: the last one stays", async () => {
  await using test = await testKv();
  const org = await acme(test.kv);
  const { token } = await org.invite("next@example.com", "owner");
  const stepDown = () => setRole(test.kv, org.by, org.id, org.owner.id, "viewer");
  await assert.rejects(stepDown(), /Make somebody else an owner first/);
  const next = await person(test.kv, "next");
  await acceptInvite(test.kv, token, next.id);
  assert.equal((await stepDown()).role, "viewer");
});

Deno.test("a link does not serve to try many addresses for accounts", async () => {
  await using test = await testKv();
  const org = await acme(test.kv);
  const { token } = await org.invite("eve@example.com");
  const input = { email: "owner@example.com", name: "Eve", password: "short" };
  for (let i = 0; i < 20; i++) {
    await assert.rejects(joinAsNewUser(test.kv, token, input), /characters/);
  }
  await assert.rejects(joinAsNewUser(test.kv, token, input), /Too many tries/);
});
