import assert from "node:assert/strict";
import {
  formatBucket,
  formatBucketStart,
  formatTick,
  formatTimeTick,
  formatValue,
} from "@/lib/ui/charts/chart_data.ts";

Deno.test("values have their unit, and a gap is a dash", () => {
  assert.equal(formatValue(12.44, "duration"), "12.4 ms");
  assert.equal(formatValue(12.333, "count"), "12.3");
  assert.equal(formatValue(12_345, "count"), "12.3k");
  assert.equal(formatValue(0.25, "rate"), "0.25/min");
  assert.equal(formatValue(0.125, "percent"), "12.5%");
  assert.equal(formatValue(0.9376, "score"), "0.938");
  assert.equal(formatValue(1536.4, "bytes"), "1.5 KiB");
  assert.equal(formatValue(null, "count"), "–");
  assert.equal(formatValue(NaN, "rate"), "–");
});

Deno.test("ticks have as many decimals as their step needs", () => {
  assert.equal(formatTick(0, 5, "duration"), "0");
  assert.equal(formatTick(0.0005, 0.0005, "percent"), "0.05%");
  assert.equal(formatTick(0.4, 0.2, "percent"), "40%");
  assert.equal(formatTick(0.002, 0.001, "rate"), "0.002");
  assert.equal(formatTick(15_000, 5000, "rate"), "15k");
  assert.equal(formatTick(60_000, 30_000, "duration"), "1 m 00 s");
});

Deno.test("instants are no finer than their buckets", () => {
  const at = Date.UTC(2026, 10, 21, 8, 5);
  assert.equal(formatBucketStart(at, 60_000), "2026-11-21 08:05 UTC");
  assert.equal(formatBucketStart(at, 1000), "2026-11-21 08:05:00 UTC");
  assert.equal(formatBucketStart(Date.UTC(2026, 10, 21), 86_400_000), "2026-11-21");
  assert.equal(formatBucketStart(at, 86_400_000), "2026-11-21 08:05 UTC", "days that begin later");
  assert.equal(formatTimeTick(at, 300_000), "08:05");
  assert.equal(formatTimeTick(at, 10_000), "08:05:00");
  assert.equal(formatTimeTick(Date.UTC(2026, 10, 21), 10_800_000), "Nov 21");
  assert.equal(formatBucket(3_600_000), "1 hour");
  assert.equal(formatBucket(300_000), "5 minutes");
});
