/** Floods of sign-ins: from many addresses at one account, and from one address at many. */
import assert from "node:assert/strict";
import { addKnownDevice } from "@/lib/accounts/known_devices.ts";
import { provePassword } from "@/lib/accounts/prove_password.ts";
import { testKv } from "../../support/kv.ts";
import { PASSWORD, person } from "../../support/people.ts";

/** As many as a minute of 10,000 has in 2.4 seconds. */
const FLOOD = 400;
const OWN = "203.0.113.9";

Deno.test("a flood from many addresses at one account keeps its owner's browser out for no moment", async () => {
  await using test = await testKv();
  const ann = await person(test.kv, "ann");
  const atomic = test.kv.atomic();
  const device = addKnownDevice(atomic, ann.email, null);
  await atomic.commit();
  const flood = Array.from({ length: FLOOD }, (_, i) =>
    provePassword(test.kv, {
      email: ann.email,
      password: `guess ${i} of many`,
      address: `198.51.${i >> 8}.${i & 255}`,
    }));
  const owner = { email: ann.email, password: PASSWORD, address: OWN, device };
  assert.equal((await provePassword(test.kv, owner)).ok, true);
  const results = await Promise.all(flood);
  assert.ok(results.every(({ ok }) => !ok));
  // Afterwards from a new browser as well.
  assert.equal((await provePassword(test.kv, { ...owner, device: null })).ok, true);
  const told = await Array.fromAsync(test.kv.list({ prefix: ["audit_entry"] }));
  assert.ok(told.length <= 35, `${told.length} entries in the audit log`);
});

Deno.test("a flood from one address at many accounts locks out nobody who comes from elsewhere", async () => {
  await using test = await testKv();
  const ann = await person(test.kv, "ann");
  const flood = Array.from({ length: FLOOD }, (_, i) =>
    provePassword(test.kv, {
      email: i % 10 === 0 ? ann.email : `person${i}@example.com`,
      password: `guess ${i} of many`,
      address: "198.51.100.7",
    }));
  const results = await Promise.all(flood);
  assert.ok(results.every(({ ok }) => !ok));
  const claim = { email: ann.email, password: PASSWORD };
  assert.equal((await provePassword(test.kv, { ...claim, address: OWN })).ok, true);
  const there = await provePassword(test.kv, { ...claim, address: "198.51.100.7" });
  assert.ok(!there.ok && there.reason === "limited");
});

Deno.test("look-alike, plus and case: an email is one account's only when it is spelled so", async () => {
  await using test = await testKv();
  const ann = await person(test.kv, "ann");
  const prove = async (email: string) =>
    (await provePassword(test.kv, { email, password: PASSWORD, address: OWN })).ok;
  assert.equal(await prove("ANN@EXAMPLE.COM"), true);
  assert.equal(await prove(` ${ann.email} `), true);
  // A Cyrillic а, a full-width a, a tag, a dotless i, a combining mark.
  for (
    const email of [
      "аnn@example.com",
      "ａnn@example.com",
      "ann+x@example.com",
      "ann@exampIe.com".replace("I", "ı"),
      "a\u0301nn@example.com",
    ]
  ) assert.equal(await prove(email), false, email);
});
