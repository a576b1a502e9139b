import assert from "node:assert/strict";
import { hashPassword, verifyPassword } from "@/lib/accounts/users.ts";
import { HashingBusy } from "@/lib/core/errors.ts";

Deno.test("hashPassword() makes salted argon2id of the cost that OWASP asks for", async () => {
  const [first, second] = await Promise.all([
    hashPassword("secret words"),
    hashPassword("secret words"),
  ]);
  assert.match(first, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  assert.notEqual(first, second);
});

Deno.test("verifyPassword() accepts the same password, however its characters are composed", async () => {
  const stored = await hashPassword("Zürich fährt Bahn");
  assert.equal(await verifyPassword(stored, "Zürich fährt Bahn"), true);
  assert.equal(await verifyPassword(stored, "Zu\u0308rich fa\u0308hrt Bahn"), true);
  assert.equal(await verifyPassword(stored, "Zurich fahrt Bahn"), false);
  assert.equal(await verifyPassword(stored, ""), false);
  assert.equal(await verifyPassword(stored, "Zürich fährt Bahn\0"), false);
});

Deno.test("a password that starts like a stored one of greatest length is not the same", async () => {
  const longest = "𐐷".repeat(200);
  const stored = await hashPassword(longest);
  assert.equal(await verifyPassword(stored, longest), true);
  assert.equal(await verifyPassword(stored, longest + "x".repeat(1_000_000)), false);
});

Deno.test("verifyPassword() without a hash is false after the work of a comparison", async () => {
  const stored = await hashPassword("secret words");
  await verifyPassword(null, "secret words");
  const time = async (hash: string | null) => {
    const runs: number[] = [];
    for (let run = 0; run < 15; run++) {
      const started = performance.now();
      assert.equal(await verifyPassword(hash, "other words"), false);
      runs.push(performance.now() - started);
    }
    return Math.min(...runs);
  };
  const known = await time(stored);
  const unknown = await time(null);
  assert.ok(unknown > known / 2 && unknown < known * 2, `${unknown} ms against ${known} ms`);
});

Deno.test("a flood of passwords is turned away instead of piling up", async () => {
  const answers = await Promise.allSettled(
    Array.from({ length: 100 }, () => hashPassword("secret words")),
  );
  const turnedAway = answers.filter((answer) =>
    answer.status === "rejected" && answer.reason instanceof HashingBusy
  );
  assert.equal(turnedAway.length, 38);
  assert.match(await hashPassword("secret words"), /^\$argon2id/);
});
