import assert from "node:assert/strict";
import { timeTicks } from "@/lib/traces/waterfall/waterfall_head.tsx";

const labels = (start: number, end: number, atMost = 6) =>
  timeTicks({ start, end }, atMost).map(({ label }) => label);

Deno.test("the axis is cut at round times with their units", () => {
  assert.deepEqual(labels(0, 1_200), [
    "0",
    "200 ms",
    "400 ms",
    "600 ms",
    "800 ms",
    "1 s",
    "1.2 s",
  ]);
  assert.deepEqual(labels(0, 0.004), ["0", "1 µs", "2 µs", "3 µs", "4 µs"]);
  assert.deepEqual(labels(0, 150_000), ["0", "30 s", "1 m", "1 m 30 s", "2 m", "2 m 30 s"]);
  assert.deepEqual(labels(0, 9 * 3_600_000), ["0", "2 h", "4 h", "6 h", "8 h"]);
  assert.deepEqual(labels(0, 4 * 86_400_000), ["0", "1 d", "2 d", "3 d", "4 d"]);
});

Deno.test("neighbouring labels differ however far one has zoomed in", () => {
  for (const start of [0, 12.5, 999.999, 3_599_999.5, 86_399_999.7]) {
    for (const length of [0.01, 0.5, 3, 70, 900, 61_000]) {
      const found = labels(start, start + length);
      assert.equal(new Set(found).size, found.length, `${start} + ${length}: ${found}`);
      assert.ok(found.length >= 1 && found.length <= 7, `${start} + ${length}: ${found}`);
    }
  }
});

Deno.test("no time, no ticks", () => {
  assert.deepEqual(timeTicks({ start: 5, end: 5 }, 6), []);
  assert.deepEqual(timeTicks({ start: 0, end: 9 }, 0), []);
});
