import assert from "node:assert/strict";
import { returnLease, takeLease } from "@/lib/accounts/kv.ts";
import { testKv } from "../../support/stores.ts";
import { waitFor } from "../../support/wait_for.ts";

const MINUTE_MS = 60_000;

Deno.test("takeLease() gives a piece of work to one holder, who may renew it", async () => {
  await using stores = await testKv();
  assert.equal(await takeLease(stores.kv, "sweep", "ann", MINUTE_MS), true);
  assert.equal(await takeLease(stores.kv, "sweep", "ann", MINUTE_MS), true);
  assert.equal(await takeLease(stores.kv, "sweep", "ben", MINUTE_MS), false);
  assert.equal(await takeLease(stores.kv, "other work", "ben", MINUTE_MS), true);
});

Deno.test("takeLease() gives the work to one of many who ask at once", async () => {
  await using stores = await testKv();
  const holders = Array.from({ length: 10 }, (_, i) => `holder${i}`);
  const taken = await Promise.all(
    holders.map((holder) => takeLease(stores.kv, "sweep", holder, MINUTE_MS)),
  );
  assert.equal(taken.filter(Boolean).length, 1);
});

Deno.test("takeLease() gives the work to another holder once its time is over", async () => {
  await using stores = await testKv();
  assert.equal(await takeLease(stores.kv, "sweep", "ann", 20), true);
  await waitFor(
    "the end of the lease",
    async () => await takeLease(stores.kv, "sweep", "ben", MINUTE_MS) || null,
  );
  assert.equal(await takeLease(stores.kv, "sweep", "ann", MINUTE_MS), false);
});

Deno.test("returnLease() frees the work, but only that of the holder", async () => {
  await using stores = await testKv();
  await takeLease(stores.kv, "sweep", "ann", MINUTE_MS);
  await returnLease(stores.kv, "sweep", "ben");
  assert.equal(await takeLease(stores.kv, "sweep", "ben", MINUTE_MS), false);
  await returnLease(stores.kv, "sweep", "ann");
  assert.equal(await takeLease(stores.kv, "sweep", "ben", MINUTE_MS), true);
});
