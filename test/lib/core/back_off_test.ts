import assert from "node:assert/strict";
import { MAX_ATTEMPTS, pauseAfter } from "@/lib/core/back_off.ts";

const middle = () => 0.5;

Deno.test("pauseAfter() grows from ten seconds to an hour and ends after five and a half", () => {
  const pauses = Array.from({ length: MAX_ATTEMPTS }, (_, i) => pauseAfter(i + 1, null, middle));
  const seconds = pauses.map((pause) => pause === null ? null : pause / 1_000);
  assert.deepEqual(seconds, [10, 60, 300, 1200, 3600, 3600, 3600, 3600, 3600, null]);
});

Deno.test("pauseAfter() varies by a tenth", () => {
  assert.equal(pauseAfter(1, null, () => 0), 9_000);
  assert.equal(pauseAfter(1, null, () => 1), 11_000);
});

Deno.test("pauseAfter() waits as long as the receiver asks for, up to an hour", () => {
  assert.equal(pauseAfter(1, 90_000, middle), 90_000);
  assert.equal(pauseAfter(1, 1_000, middle), 10_000);
  assert.equal(pauseAfter(1, 86_400_000, middle), 3_600_000);
});
