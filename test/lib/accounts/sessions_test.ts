import assert from "node:assert/strict";
import {
  endSession,
  readSession,
  SESSION_IDLE_MS,
  SESSION_LIFETIME_MS,
  startSession,
} from "@/lib/accounts/sessions.ts";
import { interleaved } from "../../support/interleaved_kv.ts";
import { testKv } from "../../support/kv.ts";
import { person } from "../../support/people.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
const NOW = Date.now();

Deno.test("a session is found by its token, of which the store keeps only a hash", async () => {
  await using test = await testKv();
  const ann = await person(test.kv, "ann");
  const { token, session } = await startSession(test.kv, ann.id);
  assert.match(token, /^[A-Za-z0-9_-]{43}$/);
  assert.deepEqual(await readSession(test.kv, token), { session, user: ann });
  for await (const entry of test.kv.list({ prefix: [] })) {
    assert.ok(!Deno.inspect(entry, { depth: 9 }).includes(token));
  }
});

Deno.test("no other text finds a session", async () => {
  await using test = await testKv();
  const ann = await person(test.kv, "ann");
  const { token, session } = await startSession(test.kv, ann.id);
  for (const text of ["", "x", session.id, `${token}x`, token.slice(1), "x".repeat(100_000)]) {
    assert.equal(await readSession(test.kv, text), null);
    await endSession(test.kv, text);
  }
  assert.notEqual(await readSession(test.kv, token), null);
});

Deno.test("a session ends after 7 days without use", async () => {
  await using test = await testKv();
  const ann = await person(test.kv, "ann");
  const { token } = await startSession(test.kv, ann.id, {}, NOW);
  assert.notEqual(await readSession(test.kv, token, NOW + SESSION_IDLE_MS - 1), null);
  const { token: unused } = await startSession(test.kv, ann.id, {}, NOW);
  assert.equal(await readSession(test.kv, unused, NOW + SESSION_IDLE_MS), null);
});

Deno.test("a session ends after 30 days, however much it is used", async () => {
  await using test = await testKv();
  const ann = await person(test.kv, "ann");
  const { token } = await startSession(test.kv, ann.id, {}, NOW);
  for (let day = 1; day < 30; day++) {
    assert.notEqual(await readSession(test.kv, token, NOW + day * DAY_MS), null, `day ${day}`);
  }
  assert.equal(await readSession(test.kv, token, NOW + SESSION_LIFETIME_MS), null);
});

Deno.test("reading a session writes at most every five minutes", async () => {
  await using test = await testKv();
  const ann = await person(test.kv, "ann");
  const { token, session } = await startSession(test.kv, ann.id, {}, NOW);
  const key = ["session", session.id];
  const first = await test.kv.get(key);
  await readSession(test.kv, token, NOW + 299_000);
  assert.equal((await test.kv.get(key)).versionstamp, first.versionstamp);
  const found = await readSession(test.kv, token, NOW + 300_000);
  assert.deepEqual(found?.session.lastSeenAt, new Date(NOW + 300_000));
  assert.notEqual((await test.kv.get(key)).versionstamp, first.versionstamp);
});

Deno.test("an ended session stays ended, also when it is being read at that moment", async () => {
  await using test = await testKv();
  const ann = await person(test.kv, "ann");
  const { token } = await startSession(test.kv, ann.id, {}, NOW);
  const slow = interleaved(test.kv, "session", () => endSession(test.kv, token));
  await readSession(slow, token, NOW + DAY_MS);
  assert.equal(await readSession(test.kv, token, NOW + DAY_MS), null);
});
