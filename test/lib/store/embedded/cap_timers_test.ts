import assert from "node:assert/strict";
import { capTimers } from "@/lib/store/embedded/host.ts";

Deno.test("a timer of a month, as after a clock was set back, waits instead of firing at once", () => {
  const delays: unknown[] = [];
  const scope = {
    setTimeout: ((_: () => void, ms: number) => delays.push(ms)) as unknown as typeof setTimeout,
  };
  capTimers(scope);
  scope.setTimeout(() => {}, 30 * 24 * 60 * 60_000);
  scope.setTimeout(() => {}, 20);
  assert.deepEqual(delays, [2_147_483_647, 20]);
});
