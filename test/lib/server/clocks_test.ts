import assert from "node:assert/strict";
import { type Clock, runAll } from "@/lib/server/clocks.ts";
import { testKv, testServices } from "../../support/stores.ts";

function counted(name: string, runs: string[]): Clock {
  return [name, {
    run: () => Promise.resolve(void runs.push(name)),
    close: () => Promise.resolve(),
  }];
}

Deno.test("whoever is woken does all that is due, and what reads much once in a while of all of them", async () => {
  await using store = await testKv();
  const runs: string[] = [];
  const clocks = ["deliveries", "maintenance", "lists for searches"].map((n) => counted(n, runs));
  await runAll(store.kv, clocks);
  assert.deepEqual(runs.toSorted(), ["deliveries", "lists for searches", "maintenance"]);
  await Promise.all([runAll(store.kv, clocks), runAll(store.kv, clocks)]);
  assert.deepEqual(runs.slice(3), ["deliveries", "deliveries"]);
});

Deno.test("services catch up with all of their clocks, and are done when nothing waits in the spool", async () => {
  await using test = await testServices();
  await test.services.catchUp();
});
