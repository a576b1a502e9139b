import assert from "node:assert/strict";
import {
  createApiToken,
  findApiToken,
  listApiTokens,
  readApiToken,
  rotateApiToken,
} from "@/lib/accounts/api_tokens.ts";
import { actorOfBearer } from "@/lib/accounts/authorize.ts";
import {
  createOrganizationToken,
  deleteOrganizationToken,
  findOrganizationToken,
  listOrganizationTokens,
  rotateOrganizationToken,
} from "@/lib/accounts/organization_tokens.ts";
import { keyOf } from "@/lib/accounts/kv.ts";
import { addMember, type Role } from "@/lib/accounts/members.ts";
import { sha256 } from "@/lib/accounts/secrets.ts";
import { currentScope, inScope } from "@/lib/core/request_scope.ts";
import { createOrganization } from "../../support/organizations.ts";
import { testKv } from "../../support/kv.ts";
import { person } from "../../support/people.ts";

const DAY_MS = 86_400_000;

async function acme(kv: Deno.Kv) {
  const owner = await person(kv, "owner");
  const organization = await createOrganization(kv, { name: "Acme", ownerId: owner.id });
  const member = async (role: Role) => {
    const user = await person(kv, role);
    await addMember(kv, { role: "owner", userId: owner.id }, organization.id, user.id, role);
    return user;
  };
  const token = (userId: string, more: Partial<Parameters<typeof createApiToken>[1]> = {}) =>
    createApiToken(kv, {
      name: "CI",
      organizationId: organization.id,
      userId,
      scopes: ["project:read"],
      ...more,
    });
  return { owner, organization, member, token };
}

function from<T>(address: string, work: () => T): T {
  const scope = currentScope();
  return inScope({ ...scope, asker: { ...scope.asker, address } }, work);
}

Deno.test("a token ends in check digits: one that was cut, or differs in a character, is refused unread", async () => {
  await using test = await testKv();
  const { owner, token: create } = await acme(test.kv);
  const { token } = await create(owner.id);
  assert.match(token, /^wpt_[0-9a-f]{16}_[A-Za-z0-9_-]{43}[0-9A-Za-z]{6}$/);
  assert.notEqual(await findApiToken(test.kv, token), null);
  const reads: Deno.KvKey[] = [];
  const watched = new Proxy(test.kv, {
    get(kv, name) {
      if (name !== "get") return Reflect.get(kv, name);
      return (key: Deno.KvKey) => (reads.push(key), kv.get(key));
    },
  });
  const other = token.at(-10) === "a" ? "b" : "a";
  for (const wrong of [token.slice(0, -1), `${token.slice(0, -10)}${other}${token.slice(-9)}`]) {
    assert.equal(await findApiToken(watched, wrong), null);
  }
  assert.deepEqual(reads, []);
});

Deno.test("a token that was made before there were check digits, ends and networks goes on working", async () => {
  await using test = await testKv();
  const { owner, organization } = await acme(test.kv);
  const [id, secret] = ["0123456789abcdef", "s".repeat(43)];
  await test.kv.set(keyOf.apiToken(id), {
    id,
    name: "Old",
    organizationId: organization.id,
    userId: owner.id,
    scopes: ["project:read"],
    createdAt: new Date(),
    lastUsedAt: null,
    secretHash: sha256(secret),
  });
  const found = await findApiToken(test.kv, `wpt_${id}_${secret}`, Date.now() + 3_000 * DAY_MS);
  assert.equal(found?.name, "Old");
});

Deno.test("a token holds for a year; only owners make some that never expire, and nobody longer ones", async () => {
  await using test = await testKv();
  const { owner, member, token: create } = await acme(test.kv);
  const now = Date.now();
  const { token, apiToken } = await create(owner.id);
  const ends = apiToken.expiresAt?.getTime() ?? 0;
  assert.ok(Math.abs(ends - now - 365 * DAY_MS) < 60_000);
  const at = { address: null, now: ends };
  assert.deepEqual(await readApiToken(test.kv, token, at), { ok: false, problem: "expired" });
  assert.notEqual(await findApiToken(test.kv, token, ends - 1), null);
  const forever = await create(owner.id, { expiresInDays: null });
  assert.notEqual(await findApiToken(test.kv, forever.token, now + 9_000 * DAY_MS), null);
  const { id } = await member("admin");
  await assert.rejects(create(id, { expiresInDays: null }), { field: "expiresInDays" });
  for (const expiresInDays of [0, 366, 1.5, NaN]) {
    await assert.rejects(create(owner.id, { expiresInDays }), { field: "expiresInDays" });
  }
});

Deno.test("a token is taken from its networks alone, and says where it was used last", async () => {
  await using test = await testKv();
  const { owner, organization, token: create } = await acme(test.kv);
  const { token, apiToken } = await create(owner.id, {
    networks: ["10.1.0.0/16, 192.0.2.7", "2001:db8::/32"],
  });
  assert.deepEqual(apiToken.networks, ["10.1.0.0/16", "192.0.2.7/32", "2001:db8::/32"]);
  const asked = (address: string) =>
    from(address, () => actorOfBearer(test.kv, { adminToken: null }, token));
  for (const address of ["10.1.2.3", "::ffff:10.1.2.3", "192.0.2.7", "2001:db8:1::1"]) {
    assert.equal((await asked(address)).kind, "token", address);
  }
  for (const address of ["10.2.0.1", "192.0.2.8", "::1", "local", ""]) {
    await assert.rejects(asked(address), { status: 401 }, address);
  }
  assert.equal((await listApiTokens(test.kv, organization.id))[0]?.lastAddress, "10.1.2.3");
  for (const wrong of ["10.0.0.0/33", "example.com", "10.1", "1"]) {
    await assert.rejects(create(owner.id, { networks: [wrong] }), { field: "networks" }, wrong);
  }
});

Deno.test("a rotated token has a new secret, and the old one holds for the time that was chosen", async () => {
  await using test = await testKv();
  const { owner, organization, token: create } = await acme(test.kv);
  const now = Date.now();
  const first = await create(owner.id);
  const { id } = first.apiToken;
  const second = await rotateApiToken(test.kv, organization.id, id, 2, now);
  assert.notEqual(second.token, first.token);
  for (const token of [first.token, second.token]) {
    assert.equal((await findApiToken(test.kv, token, now + 2 * DAY_MS - 1))?.id, id);
  }
  assert.equal(await findApiToken(test.kv, first.token, now + 2 * DAY_MS), null);
  const third = await rotateApiToken(test.kv, organization.id, id, 0, now);
  assert.equal(await findApiToken(test.kv, first.token, now), null);
  assert.equal(await findApiToken(test.kv, second.token, now), null);
  assert.notEqual(await findApiToken(test.kv, third.token, now), null);
  for (const days of [-1, 8, NaN]) {
    await assert.rejects(rotateApiToken(test.kv, organization.id, id, days), {
      field: "overlapDays",
    });
  }
  await assert.rejects(rotateApiToken(test.kv, "77", id, 0), { status: 404 });
});

Deno.test("a rotated token of an organization stays one token in the list, and deleting it ends both", async () => {
  await using test = await testKv();
  const { kv } = test;
  const { organization } = await acme(kv);
  const baseUrl = "https://watch.example.com";
  const first = await createOrganizationToken(kv, {
    organization,
    name: "Build",
    createdBy: "Olga",
    baseUrl,
  });
  const { id } = first.organizationToken;
  const by = { organization, baseUrl, role: "owner" } as const;
  const second = await rotateOrganizationToken(kv, by, id, 7);
  for (const { token } of [first, second]) {
    assert.equal((await findOrganizationToken(kv, token))?.id, id);
  }
  const listed = await listOrganizationTokens(kv, organization.id);
  assert.deepEqual(listed.map(({ lastCharacters }) => lastCharacters), [second.token.slice(-4)]);
  const later = Date.now() + 7 * DAY_MS;
  assert.equal(await findOrganizationToken(kv, first.token, later), null);
  await deleteOrganizationToken(kv, organization.id, id);
  for (const { token } of [first, second]) {
    assert.equal(await findOrganizationToken(kv, token), null);
  }
});

Deno.test("a token that is not taken is refused in Sentry's words", async () => {
  await using test = await testKv();
  const { kv } = test;
  const { member, token: create } = await acme(kv);
  const asked = (token: string) => actorOfBearer(kv, { adminToken: null }, token);
  await assert.rejects(asked("wrong"), { status: 401, message: "Invalid token" });
  const admin = await member("admin");
  const { token } = await create(admin.id);
  await kv.delete(keyOf.user(admin.id));
  await assert.rejects(asked(token), { status: 401, message: "User inactive or deleted" });
});

Deno.test("making, rotating and deleting a token leaves entries without its secret", async () => {
  await using test = await testKv();
  const { kv } = test;
  const { owner, organization, token: create } = await acme(kv);
  const { apiToken, token } = await create(owner.id);
  await rotateApiToken(kv, organization.id, apiToken.id, 1);
  const entries = await Array.fromAsync(
    kv.list<{ event: string; target: { label: string } }>({ prefix: ["audit_entry"] }),
    ({ value }) => value,
  );
  const events = entries.filter(({ target }) => target.label === "CI").map(({ event }) => event);
  assert.deepEqual(events, ["user.token.create", "user.token.rotate"]);
  assert.ok(!JSON.stringify(entries).includes(token.slice(21, 64)));
  assert.ok(!JSON.stringify(entries).includes(sha256(token.slice(21, 64))));
});
