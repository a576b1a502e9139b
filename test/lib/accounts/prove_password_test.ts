import assert from "node:assert/strict";
import { addKnownDevice } from "@/lib/accounts/known_devices.ts";
import { type PasswordProof, provePassword } from "@/lib/accounts/prove_password.ts";
import { readSession, startSession } from "@/lib/accounts/sessions.ts";
import { changePassword } from "@/lib/accounts/users.ts";
import { interleaved } from "../../support/interleaved_kv.ts";
import { testKv } from "../../support/kv.ts";
import { PASSWORD, person } from "../../support/people.ts";

const NOW = Date.now();
const MINUTE_MS = 60_000;
const HOME = "203.0.113.9";
const WRONG = "a wrong guess of mine";

function attempts(kv: Deno.Kv) {
  return (email: string, password: string, address = HOME, minutes = 0) =>
    provePassword(kv, { email, password, address }, NOW + minutes * MINUTE_MS);
}

function outcome(result: PasswordProof): string {
  return result.ok ? "ok" : result.reason;
}

/** Makes a browser known to an account, as its sign-in does. */
async function know(kv: Deno.Kv, email: string): Promise<string> {
  const atomic = kv.atomic();
  const device = addKnownDevice(atomic, email, null);
  await atomic.commit();
  return device;
}

Deno.test("the right password proves who one is, however the email is spelled", async () => {
  await using test = await testKv();
  const ann = await person(test.kv, "ann");
  const proof = await attempts(test.kv)(" ANN@Example.com ", PASSWORD);
  assert.deepEqual(proof, { ok: true, user: ann, epoch: 0 });
});

Deno.test("unknown mail, malformed mail and wrong password get the same answer", async () => {
  await using test = await testKv();
  await person(test.kv, "ann");
  const attempt = attempts(test.kv);
  const answers = [
    await attempt("ann@example.com", WRONG),
    await attempt("eve@example.com", WRONG),
    await attempt("eve@example.com", ""),
    await attempt("no address", WRONG),
    await attempt("", ""),
    await attempt("x".repeat(100_000), "y".repeat(1_000_000)),
    await attempt("a\0b@example.com", "\0"),
  ];
  for (const answer of answers) assert.deepEqual(answer, { ok: false, reason: "wrong" });
});

Deno.test("guesses at one account from one address are limited, whether it exists or not", async () => {
  for (const email of ["ann@example.com", "unknown@example.com"]) {
    await using test = await testKv();
    await person(test.kv, "ann");
    const attempt = attempts(test.kv);
    for (let i = 0; i < 10; i++) assert.equal(outcome(await attempt(email, WRONG)), "wrong");
    assert.deepEqual(await attempt(email, WRONG), {
      ok: false,
      reason: "limited",
      retryAfterSec: 900,
    });
    assert.equal(outcome(await attempt(email, PASSWORD)), "limited");
    assert.notEqual(outcome(await attempt(email, PASSWORD, HOME, 15)), "limited");
  }
});

Deno.test("guesses from one address are limited, whichever accounts they are at", async () => {
  await using test = await testKv();
  const attempt = attempts(test.kv);
  for (let i = 0; i < 50; i++) {
    assert.equal(outcome(await attempt(`user${i}@example.com`, WRONG, `2001:db8::${i}`)), "wrong");
  }
  assert.equal(outcome(await attempt("user99@example.com", WRONG, "2001:db8::99")), "limited");
  assert.equal(outcome(await attempt("user99@example.com", WRONG, "2001:db8:0:1::")), "wrong");
});

Deno.test("guesses at the same moment cannot exceed the limit together", async () => {
  await using test = await testKv();
  await person(test.kv, "ann");
  const attempt = attempts(test.kv);
  const results = await Promise.all(
    Array.from({ length: 40 }, () => attempt("ann@example.com", WRONG)),
  );
  assert.equal(results.filter((result) => outcome(result) === "wrong").length, 10);
});

Deno.test("wrong passwords from elsewhere lock nobody out, not even from a new address", async () => {
  await using test = await testKv();
  await person(test.kv, "ann");
  const attempt = attempts(test.kv);
  for (let i = 0; i < 100; i++) await attempt("ann@example.com", WRONG, `198.51.100.${i % 9}`);
  assert.equal(outcome(await attempt("ann@example.com", PASSWORD, "198.51.100.1")), "limited");
  assert.equal(outcome(await attempt("ann@example.com", PASSWORD)), "ok");
});

Deno.test("a browser that signed in before is let through whatever is guessed at its address", async () => {
  await using test = await testKv();
  await person(test.kv, "ann");
  await person(test.kv, "eve");
  const from = (device: string | null, email: string, password: string) =>
    provePassword(test.kv, { email, password, address: HOME, device }, NOW);
  const device = await know(test.kv, "ann@example.com");
  // Neighbours guess until the account at this address, and the address itself, are used up.
  for (let i = 0; i < 60; i++) {
    await from(null, i < 12 ? "ann@example.com" : `u${i}@example.com`, WRONG);
  }
  assert.equal(outcome(await from(null, "ann@example.com", PASSWORD)), "limited");
  assert.equal(outcome(await from(device, "ann@example.com", PASSWORD)), "ok");
  // It is known to its account only, and what is made up is known to none.
  assert.equal(outcome(await from(device, "eve@example.com", PASSWORD)), "limited");
  assert.equal(outcome(await from("made-up", "ann@example.com", PASSWORD)), "limited");
});

Deno.test("from a known browser guesses are limited as well", async () => {
  await using test = await testKv();
  await person(test.kv, "ann");
  const device = await know(test.kv, "ann@example.com");
  const attempt = (password: string, address: string) =>
    provePassword(test.kv, { email: "ann@example.com", password, address, device }, NOW);
  for (let i = 0; i < 10; i++) {
    assert.equal(outcome(await attempt(WRONG, `198.51.100.${i}`)), "wrong");
  }
  assert.equal(outcome(await attempt(PASSWORD, HOME)), "limited");
});

Deno.test("right passwords are not counted, and take no wrong ones back", async () => {
  await using test = await testKv();
  await person(test.kv, "ann");
  await person(test.kv, "eve");
  const attempt = attempts(test.kv);
  const results: string[] = [];
  // Eve signs in to her own account between guesses, to look harmless.
  for (let i = 0; i < 60; i++) {
    results.push(outcome(await attempt(`user${i}@example.com`, WRONG)));
    await attempt("eve@example.com", PASSWORD);
  }
  assert.equal(results.indexOf("limited"), 50);
});

Deno.test("a sign-in that meets a change of the password leaves no session behind", async () => {
  await using test = await testKv();
  const ann = await person(test.kv, "ann");
  const slow = interleaved(
    test.kv,
    "credential",
    () => changePassword(test.kv, ann.id, PASSWORD, "quite another set of words"),
  );
  const result = await provePassword(slow, { email: ann.email, password: PASSWORD, address: HOME });
  if (result.ok) {
    const { token } = await startSession(test.kv, ann.id, { epoch: result.epoch });
    assert.equal(await readSession(test.kv, token), null);
  }
  const old = await provePassword(test.kv, { email: ann.email, password: PASSWORD, address: HOME });
  assert.equal(old.ok, false);
});
