import assert from "node:assert/strict";
import { pause, TimeLimitExceeded, withTimeLimit } from "@/lib/core/waiting.ts";

Deno.test("withTimeLimit() passes on what comes in time, be it a value or an error", async () => {
  assert.equal(await withTimeLimit(Promise.resolve(7), 1_000), 7);
  await assert.rejects(withTimeLimit(Promise.reject(new RangeError("own")), 1_000), RangeError);
});

Deno.test("withTimeLimit() gives up on what takes too long, and on its later failure", async () => {
  const { promise, reject } = Promise.withResolvers<never>();
  await assert.rejects(withTimeLimit(promise, 10), TimeLimitExceeded);
  reject(new Error("Nobody listens any more"));
});

Deno.test("those who wait equally long give up each at its own time, whoever has done waiting meanwhile", async () => {
  const began = performance.now();
  const { promise: never } = Promise.withResolvers<never>();
  const waitedFor = () =>
    withTimeLimit(never, 40).catch((error) => {
      assert.ok(error instanceof TimeLimitExceeded);
      return performance.now() - began;
    });
  const first = waitedFor();
  await withTimeLimit(Promise.resolve(), 40);
  await pause(20);
  const second = waitedFor();
  assert.ok(await first >= 38);
  assert.ok(await second >= 58);
  assert.equal(await withTimeLimit(Promise.resolve(1), 40), 1);
});
