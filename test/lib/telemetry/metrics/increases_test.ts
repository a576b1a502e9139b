import assert from "node:assert/strict";
import { histogramIncreasesOf, increasesOf } from "../../../../lib/telemetry/metrics/increases.ts";
import type { HistogramPoint } from "../../../../lib/telemetry/records.ts";

const MINUTE = 60_000;
const START = Date.UTC(2026, 10, 20);

/** Points as `[minute, value, minute of the start]`; without a start it is unknown. */
function columns(points: readonly (readonly [number, number, number?])[]) {
  return {
    times: Float64Array.from(points, ([minute]) => START + minute * MINUTE),
    starts: Float64Array.from(
      points,
      ([, , since]) => since === undefined ? 0 : START + since * MINUTE,
    ),
    values: Float64Array.from(points, ([, value]) => value),
  };
}

function increases(...points: readonly (readonly [number, number, number?])[]): number[] {
  return [...increasesOf(columns(points), MINUTE)];
}

Deno.test("a counter grows by the difference between two points", () => {
  assert.deepEqual(increases([0, 10], [1, 15], [2, 15], [3, 18]), [0, 5, 0, 3]);
});

Deno.test("a lower value is a reset: it counts from zero", () => {
  assert.deepEqual(increases([0, 10], [1, 4], [2, 6]), [0, 4, 2]);
});

Deno.test("a start at the last point or later is a reset, though the value went on", () => {
  assert.deepEqual(increases([0, 10, -60], [1, 15, 0], [2, 20, 1.5]), [0, 15, 20]);
});

Deno.test("a start that moves but lies before the last point is none, unless the value is lower", () => {
  assert.deepEqual(increases([0, 10, -60], [1, 15, -30]), [0, 5]);
  assert.deepEqual(increases([0, 10, -60], [1, 5, -30]), [0, 5]);
});

Deno.test("a start that is known of one point only says nothing", () => {
  assert.deepEqual(increases([0, 10], [1, 15, 0.5], [2, 18]), [0, 5, 3]);
});

Deno.test("a first point counts wholly when its start is known and near", () => {
  assert.deepEqual(increases([0, 7, -5]), [7]);
  assert.deepEqual(increases([0, 7, -5.1]), [0]);
  assert.deepEqual(increases([0, 7]), [0]);
  assert.deepEqual(increases([0, 7, 0]), [0]);
});

Deno.test("of a metric whose points are rare, a start is near within two of its intervals", () => {
  assert.deepEqual([...increasesOf(columns([[0, 7, -20]]), 10 * MINUTE)], [7]);
  assert.deepEqual([...increasesOf(columns([[0, 7, -21]]), 10 * MINUTE)], [0]);
});

Deno.test("a point an hour after the last one goes on from it, a later one begins anew", () => {
  assert.deepEqual(increases([0, 10], [60, 15]), [0, 5]);
  assert.deepEqual(increases([0, 10], [60.1, 15]), [0, 0]);
  assert.deepEqual(increases([0, 10], [61, 15, 60]), [0, 15]);
});

function histogram(minute: number, counts: number[], fields: Partial<HistogramPoint> = {}) {
  return {
    timeMs: START + minute * MINUTE,
    startMs: 0,
    count: counts.reduce((sum, count) => sum + count, 0),
    sum: 10 * counts.reduce((sum, count) => sum + count, 0),
    min: null,
    max: null,
    buckets: { kind: "explicit" as const, bounds: [1, 2], counts },
    ...fields,
  };
}

Deno.test("a histogram grows by count, sum and bucket", () => {
  const [first, second] = histogramIncreasesOf(
    [histogram(0, [1, 2, 3]), histogram(1, [1, 4, 4])],
    0,
  );
  assert.equal(first?.count, 0);
  assert.equal(second?.count, 3);
  assert.equal(second?.sum, 30);
  assert.deepEqual(second?.buckets, { kind: "explicit", bounds: [1, 2], counts: [0, 2, 1] });
});

Deno.test("a histogram whose bounds change or a bucket of which is lower counts from zero", () => {
  const other = { kind: "explicit" as const, bounds: [1, 3], counts: [4, 4, 4] };
  const changed = histogramIncreasesOf(
    [histogram(0, [1, 1, 1]), histogram(1, [4, 4, 4], { buckets: other })],
    0,
  );
  assert.equal(changed[1]?.count, 12);
  const lower = histogramIncreasesOf([histogram(0, [5, 0, 0]), histogram(1, [4, 4, 4])], 0);
  assert.equal(lower[1]?.count, 12);
});

Deno.test("extremes of a histogram's whole life are none of its increase", () => {
  const points = [histogram(0, [1, 0, 0], { startMs: START - MINUTE, min: 1, max: 2 })];
  assert.deepEqual(
    histogramIncreasesOf(points, 0).map(({ count, min, max }) => [count, min, max]),
    [
      [1, null, null],
    ],
  );
});
