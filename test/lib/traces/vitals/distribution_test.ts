import assert from "node:assert/strict";
import { Sketch } from "@/lib/store/stats/sketch.ts";
import { NO_STATS } from "@/lib/store/stats/stats.ts";
import { barsOf } from "@/lib/traces/vitals/slow_visits.tsx";
import { formatVital, ratingOf, VITALS } from "@/lib/traces/vitals/vital_scores.ts";
import { slowMoments } from "@/lib/traces/vitals/load_page_vitals.ts";

function sketchOf(...values: number[]): Sketch {
  const sketch = new Sketch();
  for (const value of values) sketch.add(value);
  return sketch;
}

Deno.test("bars never cross a limit between ratings, and every value is in one", () => {
  for (const vital of VITALS) {
    const { good, poor } = vital;
    const sketch = sketchOf(0, good / 3, good * 0.9, good * 1.2, poor * 1.1, poor * 5, poor * 9);
    const bars = barsOf(vital, sketch);
    const edges = bars.map(({ from }) => from);
    assert.ok(edges.includes(good) && edges.includes(poor), vital.name);
    assert.equal(bars.reduce((sum, { count }) => sum + count, 0), 7);
    const last = bars.at(-1);
    assert.deepEqual(last, { from: 2 * poor, to: null, count: 2 });
    assert.ok((bars[0]?.count ?? 0) >= 1);
  }
});

Deno.test("values at the limits are still of the better rating", () => {
  const [lcp, , cls] = VITALS;
  assert.ok(lcp && cls);
  assert.deepEqual([2_500, 2_501, 4_000, 4_001, null].map((value) => ratingOf(lcp, value)), [
    "good",
    "needs improvement",
    "needs improvement",
    "poor",
    null,
  ]);
  assert.equal(formatVital(lcp, 2_500), "2.5 s");
  assert.equal(formatVital(cls, 0.1234), "0.12");
  assert.equal(formatVital(cls, null), "–");
});

Deno.test("slow moments are the slowest first, as far as a trace is known", () => {
  const at = (time: number, value: number, traceId: string | null) => ({
    time,
    group: { browser: "Chrome", device: "" },
    stats: { ...NO_STATS, count: 1, sketch: sketchOf(value), traceId },
  });
  const empty = { ...at(4, 1, "d"), stats: { ...NO_STATS, traceId: "d" } };
  const found = slowMoments([at(1, 100, "a"), at(2, 900, null), at(3, 500, "c"), empty]);
  assert.deepEqual(found.map(({ time, traceId }) => [time, traceId]), [[3, "c"], [1, "a"]]);
});
