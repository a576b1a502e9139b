import assert from "node:assert/strict";
import { findInvite } from "@/lib/accounts/invites.ts";
import {
  joinByDomain,
  type JoinPolicy,
  organizationsOpenTo,
  setJoinPolicy,
} from "@/lib/accounts/join_policy.ts";
import {
  approveRequest,
  askToJoin,
  declineRequest,
  listJoinRequests,
  proposeInvite,
} from "@/lib/accounts/join_requests.ts";
import { keyOf } from "@/lib/accounts/kv.ts";
import { addMember, type Changer, roleOf } from "@/lib/accounts/members.ts";
import type { User } from "@/lib/accounts/users.ts";
import { createOrganization } from "../../support/organizations.ts";
import { testKv } from "../../support/kv.ts";
import { person } from "../../support/people.ts";

async function acme(kv: Deno.Kv) {
  const owner = await person(kv, "owner");
  const { id } = await createOrganization(kv, { name: "Acme", ownerId: owner.id });
  const by: Changer = { role: "owner", userId: owner.id };
  const policy = (changes: Partial<Omit<JoinPolicy, "domains">> & { domains?: string }) =>
    setJoinPolicy(kv, id, { allowsRequests: false, domains: "", domainRole: "viewer", ...changes });
  return { id, owner, by, policy };
}

async function verified(kv: Deno.Kv, name: string): Promise<User> {
  const user = { ...await person(kv, name), emailVerifiedAt: new Date() };
  await kv.set(keyOf.user(user.id), user);
  return user;
}

Deno.test("who has confirmed an address of the organization's domain joins; who has not, or has another, does not", async () => {
  await using test = await testKv();
  const { kv } = test;
  const org = await acme(kv);
  const [ann, bob] = [await verified(kv, "ann"), await person(kv, "bob")];
  await assert.rejects(joinByDomain(kv, ann, org.id), { name: "InvalidInput" });
  await org.policy({ domains: "Example.com, @other.example", domainRole: "member" });
  assert.deepEqual((await organizationsOpenTo(kv, ann)).map(({ id }) => id), [org.id]);
  assert.deepEqual(await organizationsOpenTo(kv, bob), []);
  await assert.rejects(joinByDomain(kv, bob, org.id), { name: "InvalidInput" });
  await joinByDomain(kv, ann, org.id);
  assert.equal(await roleOf(kv, org.id, ann.id), "member");
  assert.deepEqual(await organizationsOpenTo(kv, ann), []);
  await org.policy({ domains: "sub.example.com" });
  const cid = await verified(kv, "cid");
  assert.deepEqual(await organizationsOpenTo(kv, cid), []);
  await assert.rejects(joinByDomain(kv, cid, org.id), { name: "InvalidInput" });
});

Deno.test("domains at which anybody gets an address, and what is none, are refused", async () => {
  await using test = await testKv();
  const org = await acme(test.kv);
  for (
    const domains of [
      "gmail.com",
      "GMail.com",
      "yandex.ru",
      "mail.ru",
      "a b",
      "com",
      "1.2.3.4",
      "x@y.z",
      "a..b/c",
    ]
  ) {
    await assert.rejects(org.policy({ domains }), { field: "domains" }, domains);
  }
});

Deno.test("somebody asks to join where that is allowed, and is a member once it is granted", async () => {
  await using test = await testKv();
  const { kv } = test;
  const org = await acme(kv);
  const ann = await person(kv, "ann");
  await assert.rejects(askToJoin(kv, ann, org.id), { status: 404 });
  await org.policy({ allowsRequests: true });
  await askToJoin(kv, ann, org.id);
  const request = await askToJoin(kv, ann, org.id);
  assert.equal((await listJoinRequests(kv, org.id)).length, 1);
  assert.equal(await roleOf(kv, org.id, ann.id), null);
  const member: Changer = { role: "member", userId: "somebody" };
  const grant = { role: "member", isByMail: false } as const;
  await assert.rejects(approveRequest(kv, member, request, grant), { status: 403 });
  const admin: Changer = { role: "admin", userId: org.owner.id };
  await assert.rejects(approveRequest(kv, admin, request, { ...grant, role: "manager" }), {
    status: 403,
  });
  await approveRequest(kv, admin, request, grant);
  assert.equal(await roleOf(kv, org.id, ann.id), "member");
  assert.deepEqual(await listJoinRequests(kv, org.id), []);
  await assert.rejects(askToJoin(kv, ann, org.id), { name: "InvalidInput" });
});

Deno.test("a member proposes somebody, who is invited once it is granted; only they and those who decide close it", async () => {
  await using test = await testKv();
  const { kv } = test;
  const org = await acme(kv);
  const member = await person(kv, "member");
  await addMember(kv, org.by, org.id, member.id, "member");
  const by: Changer = { role: "member", userId: member.id };
  const proposal = { email: "new@example.com", role: "member" } as const;
  await assert.rejects(proposeInvite(kv, by, org.id, { ...proposal, role: "admin" }), {
    field: "role",
  });
  await assert.rejects(proposeInvite(kv, by, org.id, { ...proposal, email: "owner@example.com" }), {
    reason: "taken",
  });
  const request = await proposeInvite(kv, by, org.id, proposal);
  await assert.rejects(declineRequest(kv, { role: "member", userId: "other" }, request), {
    status: 403,
  });
  const approval = await approveRequest(kv, org.by, request, { role: "member", isByMail: false });
  assert.ok(approval.kind === "invited");
  assert.equal((await findInvite(kv, approval.token))?.invite.invitedBy, org.owner.id);
  assert.deepEqual(await listJoinRequests(kv, org.id), []);
  await declineRequest(
    kv,
    by,
    await proposeInvite(kv, by, org.id, { ...proposal, email: "x@y.zz" }),
  );
  assert.deepEqual(await listJoinRequests(kv, org.id), []);
  for (let i = 0; i < 18; i++) {
    await proposeInvite(kv, by, org.id, { ...proposal, email: `p${i}@example.com` });
  }
  await assert.rejects(proposeInvite(kv, by, org.id, proposal), /go on tomorrow/);
});
