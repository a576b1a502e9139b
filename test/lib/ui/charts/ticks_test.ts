import assert from "node:assert/strict";
import { logTicks, timeTicks, valueTicks } from "@/lib/ui/charts/axis.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

Deno.test("values have ticks at 1, 2 and 5 of their decade", () => {
  assert.deepEqual(valueTicks(0, 1.06, "score", 4).at, [0, 0.5, 1]);
  assert.deepEqual(valueTicks(0, 0.35, "percent", 4).at, [0, 0.1, 0.2, 0.3], "without 0.30…04");
  assert.deepEqual(valueTicks(0, 730, "rate", 4).at, [0, 200, 400, 600]);
  assert.deepEqual(valueTicks(-30, 30, "score", 4).at, [-20, 0, 20]);
});

Deno.test("counts have no ticks between whole numbers", () => {
  assert.deepEqual(valueTicks(0, 2.1, "count", 4).at, [0, 1, 2]);
});

Deno.test("bytes have ticks at powers of two", () => {
  assert.deepEqual(valueTicks(0, 1500, "bytes", 3).at, [0, 512, 1024]);
});

Deno.test("durations from a second on have ticks as clocks have", () => {
  assert.deepEqual(valueTicks(0, 700, "duration", 4).at, [0, 200, 400, 600]);
  assert.deepEqual(valueTicks(0, 110_000, "duration", 4).at, [0, 30_000, 60_000, 90_000]);
});

Deno.test("time has ticks at round instants in UTC, before its end", () => {
  const start = Date.UTC(2026, 10, 20, 13, 7);
  const { at, step } = timeTicks(start, start + DAY, 8);
  assert.equal(step, 3 * HOUR);
  assert.equal(at[0], Date.UTC(2026, 10, 20, 15));
  assert.equal(at.length, 8);
  assert.deepEqual(timeTicks(0, HOUR, 2).at, [0, HOUR / 2]);
  assert.deepEqual(timeTicks(5, 5, 8).at, []);
});

Deno.test("weeks begin on Mondays", () => {
  const { at, step } = timeTicks(Date.UTC(2026, 10, 1), Date.UTC(2026, 11, 1), 5);
  assert.equal(step, 7 * DAY);
  assert.deepEqual(at.map((tick) => new Date(tick).getUTCDay()), [1, 1, 1, 1, 1]);
});

Deno.test("a logarithmic axis has as many ticks of its decades as fit", () => {
  assert.deepEqual(logTicks(1, 100, 10), [1, 2, 5, 10, 20, 50, 100]);
  assert.deepEqual(logTicks(1, 100, 5), [1, 3, 10, 30, 100]);
  assert.deepEqual(logTicks(1, 1000, 4), [1, 10, 100, 1000]);
  assert.ok(logTicks(0.001, 1e9, 5).length <= 5);
  assert.deepEqual(logTicks(110, 180, 4), [120, 140, 160, 180], "shorter than a decade");
});
