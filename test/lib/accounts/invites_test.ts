import assert from "node:assert/strict";
import { acceptInvite, joinAsNewUser } from "@/lib/accounts/accept_invite.ts";
import {
  createInvite,
  findInvite,
  findShownInvite,
  listInvites,
  renewInvite,
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
import { createTeam, deleteTeam, findTeam } from "@/lib/accounts/teams.ts";
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

Deno.test("an invitation that is bound to its address lets nobody else in, and one of an admin is bound", async () => {
  await using test = await testKv();
  const { kv } = test;
  const org = await acme(kv);
  const input = { email: "boss@example.com", role: "admin" } as const;
  const { token, invite } = await createInvite(kv, org.by, org.id, input);
  assert.equal(invite.onlyThisAddress, true);
  const ann = await person(kv, "ann");
  await assert.rejects(acceptInvite(kv, token, ann.id), /for boss@example\.com only/);
  const other = { email: "ann2@example.com", name: "Ann", password: PASSWORD };
  await assert.rejects(joinAsNewUser(kv, token, other), { field: "email" });
  const made = await joinAsNewUser(kv, token, { ...other, email: "BOSS@example.com" });
  assert.equal(await roleOf(kv, org.id, made.id), "admin");
  const open = await createInvite(kv, org.by, org.id, {
    email: "team@example.com",
    role: "admin",
    onlyThisAddress: false,
  });
  await acceptInvite(kv, open.token, ann.id);
  assert.equal(await roleOf(kv, org.id, ann.id), "admin");
});

Deno.test("only an invitation that went by mail confirms the address, and only of who has it", async () => {
  await using test = await testKv();
  const { kv } = test;
  const org = await acme(kv);
  const join = async (name: string, isByMail: boolean, as = name) => {
    const email = `${name}@example.com`;
    const { token } = await createInvite(kv, org.by, org.id, { email, role: "member", isByMail });
    const input = { email: `${as}@example.com`, name, password: PASSWORD };
    await joinAsNewUser(kv, token, input);
    return (await findUserByEmail(kv, input.email))?.emailVerifiedAt !== undefined;
  };
  assert.equal(await join("mailed", true), true);
  assert.equal(await join("handed", false), false);
  assert.equal(await join("forwarded", true, "somebody"), false);
  const known = await person(kv, "known");
  const { token } = await createInvite(kv, org.by, org.id, {
    email: known.email,
    role: "viewer",
    isByMail: true,
  });
  await acceptInvite(kv, token, known.id);
  assert.ok((await findUserByEmail(kv, known.email))?.emailVerifiedAt);
});

Deno.test("whoever joins is in the teams of the invitation, but for those that are gone", async () => {
  await using test = await testKv();
  const { kv } = test;
  const org = await acme(kv);
  const [kept, gone] = await Promise.all(
    ["Kept", "Gone"].map((name) => createTeam(kv, { organizationId: org.id, name })),
  );
  assert.ok(kept && gone);
  const input = { email: "ann@example.com", role: "member" } as const;
  const teamIds = [kept.id, gone.id];
  const { token } = await createInvite(kv, org.by, org.id, { ...input, teamIds });
  await assert.rejects(createInvite(kv, org.by, org.id, { ...input, teamIds: ["99"] }), {
    field: "teams",
  });
  await deleteTeam(kv, gone);
  const ann = await person(kv, "ann");
  await acceptInvite(kv, token, ann.id);
  const organization = { id: org.id, createdAt: new Date() };
  assert.deepEqual((await findTeam(kv, organization, kept.id))?.memberIds, [ann.id]);
});

Deno.test("a new link makes the one before void, and keeps role, teams and binding", async () => {
  await using test = await testKv();
  const { kv } = test;
  const org = await acme(kv);
  const first = await createInvite(kv, org.by, org.id, {
    email: "ann@example.com",
    role: "member",
    onlyThisAddress: true,
  });
  const second = await renewInvite(kv, org.by, org.id, "ann@example.com", false);
  assert.equal(await findInvite(kv, first.token), null);
  const found = await findInvite(kv, second.token);
  assert.deepEqual([found?.invite.role, found?.invite.onlyThisAddress], ["member", true]);
  await assert.rejects(renewInvite(kv, org.by, org.id, "bob@example.com", false), { status: 404 });
});

Deno.test("ten invitations a day go to one address, and a hundred come from one person", async () => {
  await using test = await testKv();
  const { kv } = test;
  const org = await acme(kv);
  for (let i = 0; i < 10; i++) await org.invite("ann@example.com");
  await assert.rejects(org.invite("ann@example.com"), /go on tomorrow/);
  for (let i = 0; i < 90; i++) await org.invite(`p${i}@example.com`);
  await assert.rejects(org.invite("bob@example.com"), /go on tomorrow/);
  const tomorrow = Date.now() + DAY_MS;
  await createInvite(kv, org.by, org.id, { email: "bob@example.com", role: "viewer" }, tomorrow);
});

Deno.test("who tries thirty links that do not hold is shown none, though it holds", async () => {
  await using test = await testKv();
  const { kv } = test;
  const org = await acme(kv);
  const { token } = await org.invite("ann@example.com");
  const shown = (text: string, address: string) => findShownInvite(kv, text, address);
  for (let i = 0; i < 40; i++) assert.notEqual(await shown(token, "192.0.2.1"), null);
  for (let i = 0; i < 30; i++) assert.equal(await shown(`guess${i}`, "192.0.2.1"), null);
  assert.equal(await shown(token, "192.0.2.1"), null);
  assert.notEqual(await shown(token, "192.0.2.2"), null);
});

Deno.test("an admin withdraws no invitation of a manager", async () => {
  await using test = await testKv();
  const { kv } = test;
  const org = await acme(kv);
  const admin: Changer = { role: "admin", userId: org.owner.id };
  await createInvite(kv, org.by, org.id, { email: "boss@example.com", role: "manager" });
  await assert.rejects(withdrawInvite(kv, admin, org.id, "boss@example.com"), { status: 403 });
  await org.invite("ann@example.com");
  await withdrawInvite(kv, admin, org.id, "ann@example.com");
  assert.deepEqual((await listInvites(kv, org.id)).map(({ email }) => email), ["boss@example.com"]);
});
