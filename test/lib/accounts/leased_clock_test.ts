import assert from "node:assert/strict";
import { keyOf, takeLease } from "@/lib/accounts/kv.ts";
import { type LeasedWork, startLeased } from "@/lib/accounts/leased_clock.ts";
import { silentLogger } from "../../support/silent_logger.ts";
import { testKv } from "../../support/stores.ts";
import { waitFor } from "../../support/wait_for.ts";

const LEASE_MS = 300;
const WORK = "sweep";

function leased(kv: Deno.Kv, work: LeasedWork["work"]) {
  const clock = startLeased({ kv, log: silentLogger }, {
    name: WORK,
    everyMs: null,
    leaseMs: LEASE_MS,
    failure: "cannot sweep",
    work,
  });
  return { run: clock.run, [Symbol.asyncDispose]: clock.close };
}

Deno.test("work that takes longer than its lease keeps it: nobody else begins", async () => {
  await using stores = await testKv();
  const { kv } = stores;
  const finish = Promise.withResolvers<void>();
  let isLost = false;
  await using clock = leased(kv, async (stopping) => {
    await finish.promise;
    isLost = stopping.aborted;
  });
  const running = clock.run();
  await waitFor("the lease", async () => (await kv.get(keyOf.lease(WORK))).value);
  const until = performance.now() + 3 * LEASE_MS;
  await waitFor("three leases' time", async () => {
    assert.equal(await takeLease(kv, WORK, "another", LEASE_MS), false);
    return performance.now() > until || null;
  });
  finish.resolve();
  await running;
  assert.equal(isLost, false);
});

Deno.test("work whose lease has gone to another is told to come to an end", async () => {
  await using stores = await testKv();
  const { kv } = stores;
  const ended = Promise.withResolvers<void>();
  await using clock = leased(kv, async (stopping) => {
    // As if this process had hung until somebody else took over.
    await kv.set(keyOf.lease(WORK), { holder: "another", until: Date.now() + 60_000 });
    await waitFor("the signal", () => stopping.aborted || null);
    ended.resolve();
  });
  await clock.run();
  await ended.promise;
});
