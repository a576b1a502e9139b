/**
 * Numbers of Prometheus' published test data (promql/promqltest/testdata: histograms.test, native_histograms.test).
 * Its index of an exponential bucket is one more than OpenTelemetry's, which is ours.
 */
import assert from "node:assert/strict";
import { EMPTY_HISTOGRAM, type Histogram } from "@/lib/metrics/points.ts";
import { mergeHistograms, quantileOf } from "@/lib/metrics/histograms.ts";

function explicit(bounds: number[], counts: number[], known: Partial<Histogram> = {}): Histogram {
  const count = counts.reduce((sum, each) => sum + each, 0);
  return { ...EMPTY_HISTOGRAM, count, buckets: { kind: "explicit", bounds, counts }, ...known };
}

interface Native {
  readonly scale: number;
  readonly zero?: [count: number, threshold: number];
  /** From Prometheus' index 0 on. */
  readonly positive?: number[];
  readonly negative?: number[];
}

function exponential({ scale, zero = [0, 0], positive = [], negative = [] }: Native): Histogram {
  const sparse = (counts: number[]) => ({ indexes: counts.map((_, place) => place - 1), counts });
  const [zeroCount, zeroThreshold] = zero;
  const count = [zeroCount, ...positive, ...negative].reduce((sum, each) => sum + each, 0);
  return {
    ...EMPTY_HISTOGRAM,
    count,
    buckets: {
      kind: "exponential",
      scale,
      zeroCount,
      zeroThreshold,
      positive: sparse(positive),
      negative: sparse(negative),
    },
  };
}

function assertQuantiles(histogram: Histogram, wanted: [share: number, value: number][]): void {
  for (const [share, value] of wanted) {
    const found = quantileOf(histogram, share) ?? NaN;
    assert.ok(Math.abs(found - value) <= 1e-9 * Math.max(1, Math.abs(value)), `${share}: ${found}`);
  }
}

Deno.test("quantiles of explicit buckets are Prometheus' quantiles", () => {
  const positive = explicit([0.1, 0.2, 1], [50, 20, 40, 10]);
  assertQuantiles(positive, [[0, 0], [0.2, 0.048], [0.5, 0.15], [0.8, 0.72], [1, 1]]);
  const negative = explicit([-0.2, -0.1, 0.3], [10, 10, 0, 10]);
  assertQuantiles(negative, [[0, -0.2], [0.2, -0.2], [0.5, -0.15], [0.8, 0.3], [1, 0.3]]);
});

Deno.test("a quantile in the middle of a bucket is the middle of its bounds", () => {
  const histogram = explicit([0, 2, 4, 6], [0, 10, 10, 10, 0]);
  assertQuantiles(histogram, [[1 / 6, 1], [0.5, 3], [5 / 6, 5]]);
});

Deno.test("quantiles without observations beyond the last bound are Prometheus' as well", () => {
  const positive = explicit([0, 0.1, 0.2, 1], [0, 50, 20, 40, 0]);
  assertQuantiles(positive, [[0, 0], [0.25, 0.055], [0.5, 0.125], [0.75, 0.45], [1, 1]]);
  const negative = explicit([-0.25, -0.2, -0.1, 0.3], [0, 10, 10, 0, 0]);
  assertQuantiles(negative, [[0, -0.25], [0.25, -0.225], [0.5, -0.2], [0.75, -0.15], [1, -0.1]]);
});

Deno.test("quantiles over several series are those of their sum", () => {
  const bounds = [0.1, 0.2];
  const of = (...counts: number[]) => explicit(bounds, counts);
  const [first, second] = [of(1, 2, 1), of(2, 3, 1)];
  const [third, fourth] = [of(3, 1, 2), of(4, 3, 2)];
  assertQuantiles(mergeHistograms([first, second, third, fourth]), [
    [0.3, 0.075],
    [0.5, 0.1277777777777778],
  ]);
  assertQuantiles(mergeHistograms([first, third]), [[0.3, 0.075], [0.5, 0.1333333333333333]]);
  assertQuantiles(mergeHistograms([second, fourth]), [[0.3, 0.075], [0.5, 0.125]]);
});

Deno.test("quantiles of exponential buckets are Prometheus' quantiles", () => {
  const histogram = exponential({ scale: 0, zero: [2, 0.001], positive: [2, 3, 0, 1, 4] });
  assertQuantiles(histogram, [
    [0, 0],
    [0.1, 0.0006],
    [0.5, 1.5874010519681994],
    [0.6, 4.594793419988138],
    [0.9, 12.99603834169977],
    [0.99, 15.67072476139083],
    [1, 16],
  ]);
});

Deno.test("quantiles of negative exponential buckets are Prometheus' quantiles", () => {
  const histogram = exponential({ scale: 0, zero: [2, 0.001], negative: [2, 3, 0, 1, 4] });
  assertQuantiles(histogram, [
    [0, -16],
    [0.1, -12.996038341699768],
    [0.5, -1.5874010519681996],
    [0.9, -0.0006],
    [0.99, -0.00006],
    [1, 0],
  ]);
});

Deno.test("quantiles of exponential buckets on both sides are Prometheus' quantiles", () => {
  const counts = [2, 3, 0, 1, 4];
  const both = exponential({ scale: 0, zero: [4, 0.001], positive: counts, negative: counts });
  assertQuantiles(both, [
    [0, -16],
    [0.01, -15.34822590920423],
    [0.1, -10.556063286183155],
    [0.3, -1.2030250360821169],
    [0.45, -0.0006],
    [0.5, 0],
    [0.55, 0.0006],
    [0.7, 1.2030250360821164],
    [0.9, 10.556063286183155],
    [0.99, 15.34822590920423],
    [1, 16],
  ]);
});

Deno.test("the scale of exponential buckets decides where the middle of one lies", () => {
  for (
    const [scale, near, far] of [[-1, 2, 8], [0, 2 ** 0.5, 2 ** 1.5], [1, 2 ** 0.25, 2 ** 0.75]]
  ) {
    assert.ok(scale !== undefined && near !== undefined && far !== undefined);
    assertQuantiles(exponential({ scale, positive: [0, 5] }), [[0.5, near]]);
    assertQuantiles(exponential({ scale, positive: [0, 0, 5] }), [[0.5, far]]);
    assertQuantiles(exponential({ scale, negative: [0, 5] }), [[0.5, -near]]);
    assertQuantiles(exponential({ scale, negative: [0, 0, 5] }), [[0.5, -far]]);
  }
});

Deno.test("a rank between two buckets is where the next one begins", () => {
  const balanced = exponential({ scale: 0, positive: [1, 1, 2], negative: [1, 1, 2] });
  assertQuantiles(balanced, [[0.5, 0.5]]);
});

Deno.test("quantiles never leave what is known to be the lowest and highest", () => {
  const known = explicit([10, 100], [0, 5, 5], { min: 40, max: 160 });
  assertQuantiles(known, [[0, 40], [1, 160]]);
});

Deno.test("nothing, and counts without buckets, have no quantiles", () => {
  assert.equal(quantileOf(EMPTY_HISTOGRAM, 0.5), null);
  assert.equal(quantileOf({ ...EMPTY_HISTOGRAM, count: 5, sum: 10 }, 0.5), null);
  assert.equal(quantileOf(explicit([1, 2], [0, 0, 0]), 0.95), null);
});
