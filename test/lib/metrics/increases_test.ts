import assert from "node:assert/strict";
import { type Counted, histogramIncreasesOf, increasesOf } from "@/lib/metrics/increases.ts";
import type { HistogramPoint } from "@/lib/records/mod.ts";
import { rawHistograms } from "@/test/support/metric_series.ts";

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

Deno.test("what counts since its machine was started begins with a baseline, and not with a spike", () => {
  const first = (points: Parameters<typeof columns>[0], name: string, unit = "") =>
    increasesOf(columns(points), MINUTE, { name, unit })[0];
  const boot = [[0, 350_000, -1], [1, 350_110, -1]] as const;
  for (const name of ["system.cpu.time", "system_cpu_time", "node_cpu_seconds_total"]) {
    assert.equal(first([[0, 70, -1], [1, 140, -1]], name, "s"), 0, name);
  }
  assert.equal(first(boot, "container.cpu.time", "s"), 0, "192 cores of a machine of two");
  assert.equal(first(boot.slice(0, 1), "container.cpu.time", "s"), 0, "without a second point");
  assert.equal(first(boot, "net.bytes", "By"), 0, "a thousand times what the next minute brings");
  assert.deepEqual(increases([0, 100, -1], [1, 109, -1], [2, 118, -1]), [0, 9, 9]);
});

Deno.test("a first point that can have come since its start counts wholly", () => {
  assert.deepEqual(increases([0, 100, -1], [1, 110, -1]), [100, 10]);
  assert.deepEqual(increases([0, 100, -4], [1, 103, -4]), [100, 3], "in four times the time");
  assert.deepEqual(
    increases([0, 100, -1], [1, 100, -1]),
    [100, 0],
    "what stands still tells nothing",
  );
  assert.deepEqual(increases([0, 100, -1], [1, 5, 0]), [100, 5], "nor does a restart");
  assert.deepEqual(
    increases([0, 100, -1], [61.5, 101, -1]),
    [100, 0],
    "nor what comes an hour later",
  );
  assert.deepEqual([
    ...increasesOf(columns([[0, 90, -1]]), 0, { name: "process.cpu.time", unit: "s" }),
  ], [90]);
});

/** Of a cumulative series. */
function histogramGrowth(points: readonly HistogramPoint[], counted?: Counted) {
  return histogramIncreasesOf(rawHistograms("1", "cumulative", points), 0, counted);
}

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
  const [first, second] = histogramGrowth(
    [histogram(0, [1, 2, 3]), histogram(1, [1, 4, 4])],
  );
  assert.equal(first?.count, 0);
  assert.equal(second?.count, 3);
  assert.equal(second?.sum, 30);
  assert.deepEqual(second?.buckets, { kind: "explicit", bounds: [1, 2], counts: [0, 2, 1] });
});

Deno.test("a histogram whose bounds change or a bucket of which is lower counts from zero", () => {
  const other = { kind: "explicit" as const, bounds: [1, 3], counts: [4, 4, 4] };
  const changed = histogramGrowth(
    [histogram(0, [1, 1, 1]), histogram(1, [4, 4, 4], { buckets: other })],
  );
  assert.equal(changed[1]?.count, 12);
  const lower = histogramGrowth([histogram(0, [5, 0, 0]), histogram(1, [4, 4, 4])]);
  assert.equal(lower[1]?.count, 12);
});

Deno.test("extremes of a histogram's whole life are none of its increase", () => {
  const points = [histogram(0, [1, 0, 0], { startMs: START - MINUTE, min: 1, max: 2 })];
  assert.deepEqual(
    histogramGrowth(points).map(({ count, min, max }) => [count, min, max]),
    [
      [1, null, null],
    ],
  );
});

Deno.test("a histogram whose first count could not have come since its start begins with a baseline", () => {
  const startMs = START - MINUTE;
  const grown = (before: number[], after: number[], counted = { name: "", unit: "" }) =>
    histogramGrowth(
      [histogram(0, before, { startMs }), histogram(1, after, { startMs })],
      counted,
    ).map(({ count }) => count);
  assert.deepEqual(grown([900, 100, 0], [903, 100, 0]), [0, 3]);
  assert.deepEqual(grown([20, 10, 0], [23, 10, 0]), [30, 3]);
  assert.deepEqual(grown([20, 10, 0], [23, 10, 0], { name: "node_disk_io", unit: "" }), [0, 3]);
});
