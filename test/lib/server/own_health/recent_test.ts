import assert from "node:assert/strict";
import { SharedNumbers } from "@/lib/core/measures/numbers.ts";
import { between, noteReading, recentLoad, spreadOf } from "@/lib/server/own_health/recent.ts";
import { MEASURES } from "@/lib/core/measures/measures.ts";
import { waitFor } from "@/test/support/wait_for.ts";

Deno.test("what came between two readings is spread as Prometheus would reckon it", () => {
  const numbers = new SharedNumbers();
  const times = numbers.histogram({ name: "times", help: "", bounds: [1, 2, 4] });
  numbers.open();
  for (let n = 0; n < 1_000; n++) times.observe(9);
  const before = times.read();
  assert.equal(spreadOf(between(before, times.read())), null, "nothing came");
  for (let n = 0; n < 100; n++) times.observe(n < 50 ? 0.5 : 1.5);
  const spread = spreadOf(between(before, times.read()));
  assert.deepEqual(spread, { median: 1, p95: 1.9 });
  for (let n = 0; n < 900; n++) times.observe(70);
  assert.equal(
    spreadOf(between(before, times.read()))?.p95,
    4,
    "above the last bound nobody knows",
  );
});

Deno.test("the load of the last minute is what came since its first reading", async () => {
  noteReading();
  MEASURES.requests.add(30, "otlp_logs", "stored");
  MEASURES.requests.add(6, "otlp_logs", "too_large");
  MEASURES.commitRecords.observe(20);
  const load = await waitFor("a second", () => recentLoad());
  assert.ok(load.seconds >= 1);
  assert.ok(Math.abs(load.stored * load.seconds - 30) < 1e-6);
  assert.ok(Math.abs(load.refused * load.seconds - 6) < 1e-6);
  assert.equal(load.recordsACommit, 20);
  assert.equal(load.commit, null);
});
