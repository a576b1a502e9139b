import assert from "node:assert/strict";
import fc from "fast-check";
import { decodeBlock, encodeBlock } from "@/lib/metrics/codec/block.ts";
import { DamagedBytes } from "@/lib/core/bytes.ts";
import type { RawSeries, SeriesSteps } from "@/lib/metrics/points.ts";
import type { HistogramPoint } from "@/lib/records/mod.ts";
import { rawHistograms } from "@/test/support/metric_series.ts";

const START = Date.UTC(2026, 10, 20);

function numbers(seriesId: string, values: readonly number[], stepMs = 15_000): RawSeries {
  return {
    shape: "number",
    seriesId,
    temporality: "cumulative",
    times: Float64Array.from(values, (_, place) => START + place * stepMs),
    starts: new Float64Array(values.length).fill(START - 1),
    values: Float64Array.from(values),
  };
}

function point(place: number, fields: Partial<HistogramPoint>): HistogramPoint {
  return {
    timeMs: START + place * 15_000,
    startMs: START,
    count: 3,
    sum: 1.5,
    min: null,
    max: null,
    buckets: { kind: "explicit", bounds: [0.5, 1], counts: [1, 1, 1] },
    ...fields,
  };
}

function assertSame(series: readonly (RawSeries | SeriesSteps)[]): Uint8Array {
  const bytes = encodeBlock(series);
  assert.deepEqual(decodeBlock(bytes), series);
  return bytes;
}

Deno.test("series of one point and of ten thousand come back", () => {
  assertSame([numbers("1", [42])]);
  const many = Array.from({ length: 10_000 }, (_, place) => place * 7 + (place % 3));
  const bytes = assertSame([numbers("9223372036854775807", many), numbers("12", many)]);
  assert.ok(bytes.length < 10_000, `${bytes.length}`);
});

Deno.test("series of any values and times come back", () => {
  const series = fc.record({
    values: fc.array(fc.double({ noNaN: true }).map((value) => value === 0 ? 0 : value), {
      minLength: 1,
      maxLength: 30,
    }),
    stepMs: fc.constantFrom(0.001, 1, 999.5, 15_000, 3_600_000),
    id: fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }).map(String),
  });
  fc.assert(fc.property(fc.array(series, { minLength: 1, maxLength: 10 }), (list) => {
    assertSame(list.map(({ values, stepMs, id }) => numbers(id, values, stepMs)));
  }));
});

Deno.test("histograms come back, whatever their buckets and however these change", () => {
  const sparse = (from: number, counts: number[]) => ({
    indexes: counts.map((_, place) => from + place * 2),
    counts,
  });
  const exponential = {
    kind: "exponential" as const,
    scale: -2,
    zeroCount: 4,
    zeroThreshold: 0.001,
    positive: sparse(-3, [1, 2]),
    negative: sparse(7, []),
  };
  assertSame([
    rawHistograms("5", "delta", [
      point(0, {}),
      point(1, { sum: null }),
      point(2, { min: 0.25, max: 0.75 }),
      point(3, { buckets: { kind: "explicit", bounds: [1, 2, 3], counts: [0, 0, 0, 3] } }),
      point(4, { buckets: { kind: "explicit", bounds: [], counts: [] } }),
      point(5, { buckets: exponential, count: 7 }),
      point(6, { buckets: { ...exponential, positive: sparse(90, [5]) }, count: 9 }),
      point(7, { buckets: { ...exponential, scale: 5, negative: sparse(-9, [1, 1]) }, count: 9 }),
      point(8, { count: 2 ** 40 }),
    ]),
  ]);
});

Deno.test("buckets that lie far apart in many points come back", () => {
  const points = Array.from({ length: 40 }, (_, place) =>
    point(place, {
      buckets: {
        kind: "exponential",
        scale: 20,
        zeroCount: 0,
        zeroThreshold: 0,
        positive: {
          indexes: Array.from({ length: 50 }, (_, index) => place * 1_000 + index),
          counts: Array.from({ length: 50 }, () => 1),
        },
        negative: { indexes: [], counts: [] },
      },
    }));
  assertSame([rawHistograms("5", "observed", points)]);
});

Deno.test("rollups come back", () => {
  const times = Float64Array.of(START, START + 60_000);
  const column = (...values: number[]) => Float64Array.from(values);
  assertSame([{ kind: "counter", seriesId: "1", times, increases: column(1, 2.5) }]);
  assertSame([{
    kind: "gauge",
    seriesId: "1",
    times,
    counts: column(1, 4),
    sums: column(2, 20),
    mins: column(2, 1),
    maxs: column(2, 9),
    lasts: column(2, 8.125),
  }]);
  const { timeMs: _, startMs: __, ...histogram } = point(0, {});
  assertSame([{ kind: "histogram", seriesId: "1", times, histograms: [histogram, histogram] }]);
});

Deno.test("only the series that are wanted are read", () => {
  const bytes = encodeBlock([numbers("1", [1, 2]), numbers("2", [3, 4]), numbers("3", [5, 6])]);
  assert.deepEqual(decodeBlock(bytes, new Set(["2", "9"])), [numbers("2", [3, 4])]);
});

Deno.test("times that all series have are stored once", () => {
  const values = Array.from({ length: 400 }, (_, place) => place);
  const jitter = values.map((place) => START + place * 15_000 + Math.sin(place) * 400);
  const series = (id: number): RawSeries => ({
    ...numbers(String(id), values) as RawSeries & { shape: "number" },
    times: Float64Array.from(jitter),
  });
  const one = encodeBlock([series(1)]).length;
  const twenty = encodeBlock(Array.from({ length: 20 }, (_, id) => series(id))).length;
  assert.ok(twenty - one < one / 2, `${one} ${twenty}`);
});

Deno.test("damaged bytes are told as such, whatever is wrong with them", () => {
  const bytes = encodeBlock([
    numbers("7", Array.from({ length: 200 }, () => Math.random())),
    rawHistograms("8", "delta", [point(0, {})]),
  ].slice(0, 1) as RawSeries[]);
  const isDamaged = (damaged: Uint8Array) => {
    try {
      decodeBlock(damaged);
    } catch (error) {
      assert.ok(error instanceof DamagedBytes, String(error));
    }
  };
  isDamaged(new Uint8Array());
  for (const version of [0, 2, 255]) isDamaged(Uint8Array.of(version, ...bytes.slice(1)));
  for (let length = 1; length < bytes.length; length += 37) isDamaged(bytes.slice(0, length));
  fc.assert(fc.property(
    fc.array(fc.tuple(fc.nat(bytes.length - 1), fc.nat(255)), { minLength: 1, maxLength: 8 }),
    (changes) => {
      const damaged = bytes.slice();
      for (const [place, byte] of changes) damaged[place] = byte;
      isDamaged(damaged);
    },
  ));
  fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), isDamaged));
});
