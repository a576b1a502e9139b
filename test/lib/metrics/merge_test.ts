import assert from "node:assert/strict";
import fc from "fast-check";
import { downscaled } from "@/lib/records/exponential_histogram.ts";
import { EMPTY_HISTOGRAM, type Histogram } from "@/lib/metrics/points.ts";
import {
  bucketRanges,
  HistogramSum,
  mergeHistograms,
  quantileOf,
} from "@/lib/metrics/histograms.ts";
import { subtractHistogram } from "@/lib/metrics/increases.ts";
import type { ExponentialBuckets } from "@/lib/records/mod.ts";

/** What a client at a scale makes of observations. */
function observed(values: readonly number[], scale: number, zeroThreshold = 0): Histogram {
  const sides = { positive: new Map<number, number>(), negative: new Map<number, number>() };
  let zeroCount = 0;
  for (const value of values) {
    if (Math.abs(value) <= zeroThreshold) zeroCount++;
    else {
      const side = value > 0 ? sides.positive : sides.negative;
      const index = Math.ceil(Math.log2(Math.abs(value)) * 2 ** scale) - 1;
      side.set(index, (side.get(index) ?? 0) + 1);
    }
  }
  const sparse = (side: Map<number, number>) => {
    const entries = [...side].sort(([a], [b]) => a - b);
    return { indexes: entries.map(([index]) => index), counts: entries.map(([, count]) => count) };
  };
  const buckets: ExponentialBuckets = {
    kind: "exponential",
    scale,
    zeroCount,
    zeroThreshold,
    positive: sparse(sides.positive),
    negative: sparse(sides.negative),
  };
  const sum = values.reduce((total, value) => total + value, 0);
  return { count: values.length, sum, min: null, max: null, buckets };
}

function explicit(bounds: number[], counts: number[], sum = 0): Histogram {
  const count = counts.reduce((total, each) => total + each, 0);
  return { count, sum, min: null, max: null, buckets: { kind: "explicit", bounds, counts } };
}

const countsOf = ({ buckets }: Histogram) =>
  bucketRanges(buckets).reduce((total, { count }) => total + count, 0);

/** Powers of two lie on bounds, where rounding decides: values beside them do not. */
const values = fc.array(
  fc.tuple(fc.integer({ min: -7, max: 11 }), fc.integer({ min: 1, max: 30 }), fc.boolean()).map(
    ([power, part, isNegative]) => (isNegative ? -1 : 1) * 2 ** (power + part / 31),
  ),
  { minLength: 1, maxLength: 40 },
);
const scales = fc.integer({ min: -2, max: 3 });

Deno.test("histograms of any scales together are what one client would have made of all", () => {
  fc.assert(fc.property(values, values, scales, scales, (some, others, first, second) => {
    const merged = mergeHistograms([observed(some, first), observed(others, second)]);
    const wanted = observed([...some, ...others], Math.min(first, second));
    assert.deepEqual(merged.buckets, wanted.buckets);
    assert.equal(merged.count, wanted.count);
  }));
});

Deno.test("the order of histograms does not matter", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(values, scales), { minLength: 2, maxLength: 5 }), (all) => {
      const histograms = all.map(([list, scale]) => observed(list, scale));
      const [merged, reversed] = [histograms, histograms.toReversed()].map(mergeHistograms);
      assert.deepEqual(merged?.buckets, reversed?.buckets);
    }),
  );
});

Deno.test("more buckets than are kept make the scale coarser, and lose no observation", () => {
  const wide = Array.from({ length: 2_000 }, (_, place) => 1.001 ** (place * 20) + 0.0001);
  const merged = mergeHistograms([observed(wide, 8), observed([0.5], 8)]);
  assert.ok(merged.buckets.kind === "exponential");
  assert.ok(merged.buckets.positive.indexes.length <= 160);
  assert.equal(countsOf(merged), 2_001);
  const exact = wide[1_000] ?? NaN;
  const median = quantileOf(merged, 0.5) ?? NaN;
  assert.ok(Math.abs(median / exact - 1) < 0.5, `${median} for ${exact}`);
});

Deno.test("a wider zero bucket takes the buckets that it covers", () => {
  const merged = mergeHistograms([observed([0.1, 1.5], 0), observed([0, 0.2, 3], 0, 0.25)]);
  assert.ok(merged.buckets.kind === "exponential");
  assert.equal(merged.buckets.zeroThreshold, 0.25);
  assert.equal(merged.buckets.zeroCount, 3);
  assert.deepEqual(merged.buckets.positive, { indexes: [0, 1], counts: [1, 1] });
});

Deno.test("different explicit bounds become those that all have", () => {
  const sum = new HistogramSum();
  sum.add(explicit([1, 2, 5, 10], [1, 2, 3, 4, 5]));
  sum.add(explicit([2, 4, 10], [10, 20, 30, 40]));
  const { buckets, count } = sum.result();
  assert.deepEqual(buckets, { kind: "explicit", bounds: [2, 10], counts: [13, 57, 45] });
  assert.equal(count, 115);
  assert.ok(sum.isCoarsened);
});

Deno.test("explicit and exponential histograms together keep the explicit bounds and every count", () => {
  const merged = mergeHistograms([
    explicit([1, 4, 16], [1, 1, 1, 1], 30),
    observed([1.5, 3, 6, 12, 100], 0),
  ]);
  assert.ok(merged.buckets.kind === "explicit");
  assert.deepEqual(merged.buckets.bounds, [1, 4, 16]);
  assert.equal(countsOf(merged), 9);
  assert.deepEqual(merged.buckets.counts, [1, 3, 3, 2]);
});

Deno.test("the sum of what came without a sum is unknown", () => {
  const without = { ...explicit([1], [1, 1]), sum: null };
  assert.equal(mergeHistograms([explicit([1], [1, 1], 3), without]).sum, null);
  assert.equal(mergeHistograms([explicit([1], [1, 1], 3), EMPTY_HISTOGRAM]).sum, 3);
});

Deno.test("the lowest and highest are known ones, or else bounds of buckets", () => {
  const known = { ...explicit([10, 20], [1, 1, 1]), min: 7, max: 33 };
  assert.deepEqual(extremes(mergeHistograms([known, { ...known, min: 5, max: 21 }])), [5, 33]);
  assert.deepEqual(extremes(mergeHistograms([explicit([10, 20, 50], [0, 1, 1, 0])])), [10, 50]);
  assert.deepEqual(extremes(mergeHistograms([explicit([10, 20], [1, 0, 1])])), [0, 20]);
});

const extremes = ({ min, max }: Histogram) => [min, max];

Deno.test("what was added between two points is their difference, whatever their scales", () => {
  fc.assert(fc.property(values, values, scales, scales, (before, added, first, second) => {
    const [fine, coarse] = [Math.max(first, second), Math.min(first, second)];
    const difference = subtractHistogram(
      observed([...before, ...added], coarse),
      observed(before, fine),
    );
    assert.deepEqual(difference?.buckets, observed(added, coarse).buckets);
    assert.equal(difference?.count, added.length);
  }));
});

Deno.test("a histogram that lost observations, or has other bounds, began anew", () => {
  const earlier = explicit([1, 2], [3, 3, 3]);
  assert.equal(subtractHistogram(explicit([1, 2], [4, 2, 9]), earlier), null);
  assert.equal(subtractHistogram(explicit([1, 2], [1, 1, 1]), earlier), null);
  assert.equal(subtractHistogram(explicit([1, 3], [9, 9, 9]), earlier), null);
  assert.equal(subtractHistogram(observed([1.5, 3, 3, 3, 3, 3, 3, 3, 3, 3], 2), earlier), null);
  assert.equal(subtractHistogram(observed([1.5, 1.6], 0), observed([7, 1.5], 0)), null);
});

Deno.test("downscaling halves the number of indexes and keeps the counts", () => {
  const { buckets } = observed([-3, -1.5, 0.6, 0.8, 1.2, 1.7, 3, 6], 1);
  assert.ok(buckets.kind === "exponential");
  const coarse = downscaled(buckets, 0);
  assert.deepEqual(coarse.positive, { indexes: [-1, 0, 1, 2], counts: [2, 2, 1, 1] });
  assert.deepEqual(coarse.negative, { indexes: [0, 1], counts: [1, 1] });
});
