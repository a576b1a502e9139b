import assert from "node:assert/strict";
import { Sketch } from "@/lib/store/stats/sketch.ts";
import { meanScore, pageScore, scoreOf, scoreRating } from "@/lib/traces/vitals/vital_scores.ts";

function sketchOf(...values: number[]): Sketch {
  const sketch = new Sketch();
  for (const value of values) sketch.add(value);
  return sketch;
}

const near = (actual: number | null, expected: number, by = 1e-6) =>
  assert.ok(actual !== null && Math.abs(actual - expected) < by, `${actual} is not ${expected}`);

Deno.test("the two points of each curve score 0.9 and 0.5", () => {
  const points = [
    ["lcp", 1_200, 2_400],
    ["inp", 200, 500],
    ["cls", 0.1, 0.25],
    ["fcp", 900, 1_600],
    ["ttfb", 200, 400],
  ] as const;
  for (const [name, p10, p50] of points) {
    near(scoreOf(name, p10), 0.9);
    near(scoreOf(name, p50), 0.5);
    assert.equal(scoreOf(name, 0), 1);
    near(scoreOf(name, p50 * 100), 0, 1e-3);
  }
});

Deno.test("all visits count for the score of a vital, not the slow ones alone", () => {
  near(meanScore("lcp", sketchOf(1_200, 2_400)), 0.7, 0.02);
  near(meanScore("cls", sketchOf(0, 0, 0, 0.25)), 0.875, 0.02);
  assert.equal(meanScore("lcp", new Sketch()), null);
});

Deno.test("a page is scored by the vitals that were measured, the others weigh nothing", () => {
  const lcp = { sketch: sketchOf(2_400) };
  const ttfb = { sketch: sketchOf(0) };
  near(pageScore(new Map([["lcp", lcp]])), 0.5, 0.02);
  near(pageScore(new Map([["lcp", lcp], ["ttfb", ttfb], ["fp", ttfb]])), 0.625, 0.02);
  assert.equal(pageScore(new Map()), null);
  assert.equal(pageScore(new Map([["lcp", { sketch: new Sketch() }]])), null);
});

Deno.test("scores are rated as those of Lighthouse", () => {
  assert.deepEqual([0.95, 0.9, 0.89, 0.5, 0.49, null].map(scoreRating), [
    "good",
    "good",
    "needs improvement",
    "needs improvement",
    "poor",
    null,
  ]);
});
