import assert from "node:assert/strict";
import { extrapolated, sampledOf, totalTimeOf } from "@/lib/store/stats/stats.ts";
import { isSampled } from "@/lib/ui/scoped_page.tsx";

Deno.test("what was sampled away took as long and failed as often as what is stored", () => {
  assert.equal(totalTimeOf({ count: 3, weight: 30, sum: 600 }), 6_000);
  assert.equal(extrapolated(2, { count: 4, weight: 10 }), 5);
  assert.equal(totalTimeOf({ count: 0, weight: 0, sum: 0 }), 0);
});

Deno.test("groups are sampled when together there was notably more than is stored", () => {
  const groups = [{ count: 5, weight: 5 }, { count: 5, weight: 15 }];
  assert.deepEqual(sampledOf(groups), { count: 10, weight: 20 });
  assert.equal(isSampled(sampledOf(groups)), true);
  assert.equal(isSampled({ count: 1_000, weight: 1_000.001 }), false);
  assert.equal(isSampled(sampledOf([])), false);
});
