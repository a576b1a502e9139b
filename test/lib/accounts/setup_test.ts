import assert from "node:assert/strict";
import { provePassword } from "@/lib/accounts/prove_password.ts";
import { claimInstance, ensureAdmin, needsSetup, setupCode } from "@/lib/accounts/setup.ts";
import { findOrganizationBySlug, listAllOrganizations } from "@/lib/accounts/organizations.ts";
import { roleOf } from "@/lib/accounts/members.ts";
import { findUserByEmail } from "@/lib/accounts/users.ts";
import { currentScope, inScope } from "@/lib/core/request_scope.ts";
import { prefixOf } from "@/lib/accounts/kv.ts";
import type { AuditEntry } from "@/lib/records/audit.ts";
import { interleaved } from "../../support/interleaved_kv.ts";
import { testKv } from "../../support/kv.ts";
import { PASSWORD, person } from "../../support/people.ts";

const NOW = Date.now();
const claim = {
  code: "0000-0000-0000",
  organizationName: "Acme",
  name: "Ann",
  email: "ann@example.com",
  password: PASSWORD,
  address: "203.0.113.9",
};

Deno.test("the setup code is readable and stays the same until the instance is claimed", async () => {
  await using test = await testKv();
  assert.equal(await needsSetup(test.kv), true);
  const codes = await Promise.all(Array.from({ length: 5 }, () => setupCode(test.kv)));
  assert.match(codes[0] ?? "", /^([0-9A-HJKMNP-TV-Z]{4}-){2}[0-9A-HJKMNP-TV-Z]{4}$/);
  assert.equal(new Set(codes).size, 1);
  const other = await Deno.openKv(test.path);
  assert.equal(await setupCode(other), codes[0], "another process prints the same");
  other.close();
});

Deno.test("the code makes the first administrator, an organization and its owner, once", async () => {
  await using test = await testKv();
  const code = await setupCode(test.kv);
  const result = await claimInstance(test.kv, { ...claim, code });
  assert.ok(result.ok);
  assert.equal(result.user.isInstanceAdmin, true);
  assert.deepEqual(await findUserByEmail(test.kv, "ann@example.com"), result.user);
  assert.deepEqual(await findOrganizationBySlug(test.kv, "acme"), result.organization);
  assert.equal(await roleOf(test.kv, result.organization.id, result.user.id), "owner");
  assert.equal(await needsSetup(test.kv), false);
  assert.deepEqual(
    await claimInstance(test.kv, { ...claim, code, email: "eve@example.com" }),
    { ok: false, reason: "claimed" },
  );
  await assert.rejects(setupCode(test.kv), /claimed/);
});

Deno.test("of many claims at the same moment one succeeds, and nothing is left of the others", async () => {
  await using test = await testKv();
  const code = await setupCode(test.kv);
  const results = await Promise.all(
    Array.from(
      { length: 8 },
      (_, i) => claimInstance(test.kv, { ...claim, code, email: `user${i}@example.com` }),
    ),
  );
  assert.equal(results.filter(({ ok }) => ok).length, 1);
  assert.equal((await listAllOrganizations(test.kv)).length, 1);
  let users = 0;
  for await (const _ of test.kv.list({ prefix: ["user"] })) users++;
  assert.equal(users, 1);
});

Deno.test("a code is taken as people type it, and never in part", async () => {
  const spellings = [
    (code: string) => code.toLowerCase(),
    (code: string) => ` ${code.replaceAll("-", " ")} `,
    (code: string) => code.replaceAll("-", "").replaceAll("0", "o").replaceAll("1", "l"),
  ];
  for (const spell of spellings) {
    await using test = await testKv();
    const code = spell(await setupCode(test.kv));
    assert.equal((await claimInstance(test.kv, { ...claim, code })).ok, true, code);
  }
  await using test = await testKv();
  const code = await setupCode(test.kv);
  for (const wrong of ["", "-", code.slice(0, -1), `${code}0`, "x".repeat(100_000)]) {
    const result = await claimInstance(test.kv, { ...claim, code: wrong });
    assert.deepEqual(result, { ok: false, reason: "wrong_code" }, wrong.slice(0, 20));
  }
});

Deno.test("wrong codes are limited per address, and do not lock out others", async () => {
  await using test = await testKv();
  const code = await setupCode(test.kv);
  for (let i = 0; i < 10; i++) {
    const result = await claimInstance(test.kv, claim, NOW);
    assert.deepEqual(result, { ok: false, reason: "wrong_code" });
  }
  assert.deepEqual(
    await claimInstance(test.kv, { ...claim, code }, NOW),
    { ok: false, reason: "limited", retryAfterSec: 900 },
  );
  const elsewhere = { ...claim, code, address: "198.51.100.1" };
  assert.equal((await claimInstance(test.kv, elsewhere, NOW)).ok, true);
});

Deno.test("input is judged only for who has the code, and then names the field", async () => {
  await using test = await testKv();
  const weak = { ...claim, password: "short", organizationName: "" };
  assert.deepEqual(await claimInstance(test.kv, weak), { ok: false, reason: "wrong_code" });
  const code = await setupCode(test.kv);
  const f = async (field: string, input: Partial<typeof claim>) =>
    await assert.rejects(claimInstance(test.kv, { ...claim, code, ...input }), {
      name: "InvalidInput",
      field,
    });
  await f("organizationName", { organizationName: " " });
  await f("name", { name: "" });
  await f("email", { email: "ann" });
  await f("password", { password: "ann@example.com" });
  for (let i = 0; i < 20; i++) await f("password", { password: "short" });
  assert.equal((await claimInstance(test.kv, { ...claim, code })).ok, true);
});

Deno.test("a mail that has an account cannot claim, and the instance stays unclaimed", async () => {
  await using test = await testKv();
  await person(test.kv, "ann");
  const code = await setupCode(test.kv);
  await assert.rejects(claimInstance(test.kv, { ...claim, code }), { field: "email" });
  assert.equal(await needsSetup(test.kv), true);
});

Deno.test("ensureAdmin() makes the administrator of the environment at the first start only", async () => {
  await using test = await testKv();
  const admin = { email: "Root@example.com", password: PASSWORD };
  assert.equal(await ensureAdmin(test.kv, null), false);
  const made = await Promise.all([ensureAdmin(test.kv, admin), ensureAdmin(test.kv, admin)]);
  assert.deepEqual(made.sort(), [false, true]);
  assert.equal(await needsSetup(test.kv), false);
  const other = { ...admin, password: "another set of words" };
  assert.equal(await ensureAdmin(test.kv, other), false);
  const result = await provePassword(test.kv, { ...admin, address: "203.0.113.9" });
  assert.ok(result.ok);
  assert.equal(result.user.isInstanceAdmin, true);
  assert.equal((await listAllOrganizations(test.kv)).length, 1);
});

Deno.test("instances that start at the same moment do not take the administrator that another one has just made for a stranger", async () => {
  await using test = await testKv();
  const admin = { email: "root@example.com", password: PASSWORD };
  // The first read is whether there is anything to do.
  const slow = interleaved(test.kv, "instance", () => ensureAdmin(test.kv, admin), 2);
  assert.equal(await ensureAdmin(slow, admin), false);
});

Deno.test("ensureAdmin() refuses a weak password with a line that names the variable", async () => {
  await using test = await testKv();
  await assert.rejects(
    ensureAdmin(test.kv, { email: "root@example.com", password: "password1234" }),
    { name: "ConfigError", message: /^Cannot start: SERVICE_ADMIN_PASSWORD is refused\. Choose/ },
  );
  assert.equal(await needsSetup(test.kv), true);
});

Deno.test("the audit log names who claimed the instance as who made its organization", async () => {
  await using test = await testKv();
  const { kv } = test;
  const scope = currentScope();
  const visitor = { ...scope, asker: { ...scope.asker, kind: "nobody" as const, label: "nobody" } };
  const code = await setupCode(kv);
  assert.ok((await inScope(visitor, () => claimInstance(kv, { ...claim, code }))).ok);
  const entries = await Array.fromAsync(kv.list<AuditEntry>({ prefix: prefixOf.auditEntries() }));
  const made = entries.find(({ value }) => value.event === "org.create");
  assert.equal(made?.value.by.label, claim.email);
});
