import assert from "node:assert/strict";
import { repeat } from "@/lib/core/waiting.ts";
import { waitFor } from "@/test/support/wait_for.ts";

Deno.test("repeat() does its work again and again, and not once more when it is closed", async () => {
  let runs = 0;
  const repeated = repeat(() => {
    runs++;
    return Promise.resolve();
  }, () => 1);
  // The timer of a process that has nothing else to do does not run: the wait holds it.
  await waitFor("three runs", () => runs >= 3 || null);
  await repeated.close();
  const runsAtEnd = runs;
  await repeated.run();
  assert.equal(runs, runsAtEnd);
});

Deno.test("repeat() lets one run end before the next begins, and close() waits for it", async () => {
  const order: string[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  const repeated = repeat(async (stopping) => {
    order.push("begins");
    await promise;
    order.push(stopping.aborted ? "ends, told to stop" : "ends");
  }, () => null);
  repeated.run();
  const second = repeated.run();
  await Promise.resolve();
  const closed = repeated.close();
  resolve();
  await Promise.all([closed, second]);
  assert.deepEqual(order, ["begins", "ends, told to stop"]);
});
