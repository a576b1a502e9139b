import assert from "node:assert/strict";
import { copyOfServer } from "@/lib/accounts/copy_kv.ts";
import { keyOf } from "@/lib/accounts/kv.ts";
import { DAY_MS } from "@/lib/core/time.ts";
import { testKv } from "../../support/stores.ts";

Deno.test("a copy has no proofs and nothing of a moment, and what ends elsewhere ends in it", async () => {
  await using store = await testKv();
  const { kv } = store;
  const kept = [keyOf.user("u"), keyOf.signInPolicy(), keyOf.masterSecret()];
  const ending = [
    keyOf.invite("i"),
    keyOf.quotaUse("1", "2026-11"),
    keyOf.quotaBytesUse("1", "2026-11"),
  ];
  const left = [
    keyOf.session("s"),
    keyOf.lease("mail"),
    keyOf.workDone("mail"),
    keyOf.instance("p"),
    keyOf.slowStatements("i"),
    keyOf.lastBackup(),
    keyOf.restoring(),
  ];
  for (const key of [...kept, ...ending, ...left]) await kv.set(key, 1, { expireIn: DAY_MS });
  const { entries, isOneMoment } = await copyOfServer(kv);
  const names = (keys: readonly (readonly string[])[]) => keys.map((key) => key.join(" ")).sort();
  const withEnd = entries.filter(({ endsAt }) => endsAt !== null);
  assert.equal(isOneMoment, true);
  assert.deepEqual(names(entries.map(({ key }) => key)), names([...kept, ...ending]));
  assert.deepEqual(names(withEnd.map(({ key }) => key)), names(ending));
});
