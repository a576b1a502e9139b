import assert from "node:assert/strict";
import { TimeLimitExceeded, withTimeLimit } from "@/lib/core/waiting.ts";

Deno.test("withTimeLimit() passes on what comes in time, be it a value or an error", async () => {
  assert.equal(await withTimeLimit(Promise.resolve(7), 1_000), 7);
  await assert.rejects(withTimeLimit(Promise.reject(new RangeError("own")), 1_000), RangeError);
});

Deno.test("withTimeLimit() gives up on what takes too long, and on its later failure", async () => {
  const { promise, reject } = Promise.withResolvers<never>();
  await assert.rejects(withTimeLimit(promise, 10), TimeLimitExceeded);
  reject(new Error("Nobody listens any more"));
});
