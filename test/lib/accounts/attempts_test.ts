import assert from "node:assert/strict";
import { type AttemptLimit, countAttempt, forgiveAttempt } from "@/lib/accounts/attempts.ts";
import { testKv } from "../../support/kv.ts";

const NOW = Date.UTC(2026, 10, 20);
const account: AttemptLimit = { kind: "account", subject: "ann", max: 3, windowSec: 60 };
const address: AttemptLimit = { kind: "address", subject: "203.0.113.9", max: 5, windowSec: 120 };

Deno.test("attempts are limited in a window that starts with the first of them", async () => {
  await using test = await testKv();
  const attempt = (seconds: number) => countAttempt(test.kv, [account], NOW + seconds * 1000);
  assert.deepEqual(await attempt(0), { ok: true });
  assert.deepEqual(await attempt(10), { ok: true });
  assert.deepEqual(await attempt(20), { ok: true });
  assert.deepEqual(await attempt(30), { ok: false, retryAfterSec: 30 });
  assert.deepEqual(await attempt(59), { ok: false, retryAfterSec: 1 });
  assert.deepEqual(await attempt(60), { ok: true });
});

Deno.test("an attempt that one limit refuses is counted against none", async () => {
  await using test = await testKv();
  for (let i = 0; i < 20; i++) await countAttempt(test.kv, [account, address], NOW);
  const others = { ...account, subject: "bob" };
  assert.equal((await countAttempt(test.kv, [others, address], NOW)).ok, true);
  assert.equal((await countAttempt(test.kv, [others, address], NOW)).ok, true);
  assert.equal((await countAttempt(test.kv, [others, address], NOW)).ok, false);
});

Deno.test("a forgiven attempt was never made", async () => {
  await using test = await testKv();
  for (let i = 0; i < 20; i++) {
    assert.equal((await countAttempt(test.kv, [account], NOW)).ok, true);
    await forgiveAttempt(test.kv, [account], NOW);
  }
});

Deno.test("attempts at the same moment cannot exceed the limit together", async () => {
  await using test = await testKv();
  const attempts = Array.from({ length: 50 }, () => countAttempt(test.kv, [account, address], NOW));
  const allowed = (await Promise.all(attempts)).filter(({ ok }) => ok);
  assert.equal(allowed.length, 3);
});
