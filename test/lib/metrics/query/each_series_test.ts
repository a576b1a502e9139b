import assert from "node:assert/strict";
import { batchSize } from "@/lib/metrics/query/shared_reads.ts";

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
const days = (count: number, stepMs: number) => ({ startMs: 0, endMs: count * DAY_MS, stepMs });
const histogram = { kind: "histogram", usualIntervalMs: 15_000 } as const;
const gauge = { kind: "gauge", usualIntervalMs: 15_000 } as const;

Deno.test("of a month of histograms by the minute few series are in memory at once", () => {
  assert.ok(batchSize(days(30, MINUTE_MS), histogram) * 30 * 1_440 < 600_000);
  assert.ok(batchSize(days(30, 22 * MINUTE_MS), gauge) * 30 * 1_440 / 22 < 2_000_000);
});

Deno.test("of histograms that are joined while they are read, as many more as become one", () => {
  const [steps, slots] = [30 * 1_440 / 22, 90 * 12];
  assert.ok(batchSize(days(30, 22 * MINUTE_MS), histogram) * steps < 600_000);
  assert.ok(batchSize(days(30, 22 * MINUTE_MS), histogram) > 100);
  // Whoever asks by the day still gets a histogram of each two hours out of minutes.
  assert.ok(batchSize(days(90, DAY_MS), histogram) * slots < 600_000);
  assert.ok(batchSize(days(90, DAY_MS), histogram) > 200);
});

Deno.test("of a few hours all series are read at once", () => {
  assert.ok(batchSize(days(0.25, MINUTE_MS), histogram) > 1_000);
});
