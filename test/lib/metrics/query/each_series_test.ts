import assert from "node:assert/strict";
import { batchSize } from "@/lib/metrics/query/shared_reads.ts";

const DAY_MS = 86_400_000;
const days = (count: number, stepMs: number) => ({ startMs: 0, endMs: count * DAY_MS, stepMs });
const histogram = { kind: "histogram", usualIntervalMs: 15_000 } as const;
const gauge = { kind: "gauge", usualIntervalMs: 15_000 } as const;

Deno.test("of a month of histograms by the minute few series are in memory at once", () => {
  const month = days(30, 22 * 60_000);
  assert.ok(batchSize(month, histogram) * 30 * 1_440 < 600_000);
  assert.ok(batchSize(month, gauge) * 30 * 1_440 / 22 < 2_000_000);
});

Deno.test("of a few hours all series are read at once", () => {
  assert.ok(batchSize(days(0.25, 60_000), histogram) > 1_000);
});
