import assert from "node:assert/strict";
import { provePassword } from "@/lib/accounts/prove_password.ts";
import { readSession, startSession } from "@/lib/accounts/sessions.ts";
import { changePassword, createUser, findUser, findUserByEmail } from "@/lib/accounts/users.ts";
import { testKv } from "../../support/kv.ts";
import { PASSWORD, person } from "../../support/people.ts";

const NEXT = "quite another set of words";
const NOW = Date.UTC(2026, 10, 20);

Deno.test("a user is found by id and by mail, however it is spelled, without the password hash", async () => {
  await using test = await testKv();
  const ann = await createUser(test.kv, {
    name: "Ann",
    email: " Ann@Example.com ",
    password: PASSWORD,
  });
  assert.equal(ann.email, "ann@example.com");
  assert.equal(ann.isInstanceAdmin, false);
  assert.deepEqual(await findUser(test.kv, ann.id), ann);
  assert.deepEqual(await findUserByEmail(test.kv, "ANN@example.com"), ann);
  assert.equal(await findUserByEmail(test.kv, "x".repeat(10_000)), null);
  assert.equal(await findUser(test.kv, "nobody"), null);
  assert.ok(!JSON.stringify(ann).includes("argon2"));
});

Deno.test("a mail has one account, even when two are made at the same moment", async () => {
  await using test = await testKv();
  const made = await Promise.allSettled(Array.from({ length: 5 }, () => person(test.kv, "ann")));
  assert.equal(made.filter(({ status }) => status === "fulfilled").length, 1);
  await assert.rejects(person(test.kv, "ann"), {
    name: "InvalidInput",
    field: "email",
    reason: "taken",
  });
});

Deno.test("changePassword() puts the new password in place of the old and ends every session", async () => {
  await using test = await testKv();
  const ann = await person(test.kv, "ann");
  const { token } = await startSession(test.kv, ann.id);
  assert.deepEqual(await changePassword(test.kv, ann.id, PASSWORD, NEXT), { ok: true });
  assert.equal(await readSession(test.kv, token), null);
  const address = "203.0.113.9";
  const { email } = ann;
  assert.equal((await provePassword(test.kv, { email, password: PASSWORD, address })).ok, false);
  assert.equal((await provePassword(test.kv, { email, password: NEXT, address })).ok, true);
});

Deno.test("changePassword() refuses a wrong current password and limits guesses", async () => {
  await using test = await testKv();
  const ann = await person(test.kv, "ann");
  const guess = (now: number) => changePassword(test.kv, ann.id, "a wrong guess", NEXT, now);
  for (let i = 0; i < 10; i++) assert.deepEqual(await guess(NOW), { ok: false, reason: "wrong" });
  assert.deepEqual(await guess(NOW), { ok: false, reason: "limited", retryAfterSec: 900 });
  assert.deepEqual(
    await changePassword(test.kv, ann.id, PASSWORD, NEXT, NOW),
    { ok: false, reason: "limited", retryAfterSec: 900 },
  );
  assert.deepEqual(await changePassword(test.kv, ann.id, PASSWORD, NEXT, NOW + 900_000), {
    ok: true,
  });
});

Deno.test("changePassword() judges the new password only after the current one", async () => {
  await using test = await testKv();
  const ann = await person(test.kv, "ann");
  const change = (current: string) => changePassword(test.kv, ann.id, current, "short");
  assert.deepEqual(await change("a wrong guess"), { ok: false, reason: "wrong" });
  await assert.rejects(change(PASSWORD), { name: "InvalidInput", field: "password" });
  assert.equal((await changePassword(test.kv, ann.id, PASSWORD, NEXT)).ok, true);
});

Deno.test("of two changes at the same moment only one holds", async () => {
  await using test = await testKv();
  const ann = await person(test.kv, "ann");
  const results = await Promise.all([
    changePassword(test.kv, ann.id, PASSWORD, NEXT),
    changePassword(test.kv, ann.id, PASSWORD, "a third set of words"),
  ]);
  assert.equal(results.filter(({ ok }) => ok).length, 1);
});
