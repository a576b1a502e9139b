import assert from "node:assert/strict";
import { runHeatmap } from "@/lib/metrics/query/heatmap.ts";
import { InvalidQuery, WHOLE_SCOPE } from "@/lib/metrics/query_types.ts";
import { parseFilter } from "@/lib/metrics/filter.ts";
import type { Buckets, MetricSeries } from "@/lib/records/mod.ts";
import { testDatabase } from "@/test/support/database.ts";
import {
  counterSeries,
  explicitBuckets,
  gaugeSeries,
  histogramSeries,
  metricBatch,
} from "@/test/support/metric_series.ts";
import { silentLogger } from "@/test/support/silent_logger.ts";
import { testWriter } from "@/test/support/writer.ts";

const MINUTE_MS = 60_000;
const START_MS = Math.floor(Date.now() / 3_600_000) * 3_600_000 - 6 * 3_600_000;
const at = (minutes: number) => START_MS + minutes * MINUTE_MS;

async function heatmapOf(metric: string, series: readonly MetricSeries[], filter = "") {
  await using database = await testDatabase();
  const { sql } = database;
  await using writer = testWriter(sql);
  await writer.store("7", metricBatch(series));
  return await runHeatmap({ sql, log: silentLogger }, {
    projectId: "7",
    start: new Date(at(0)),
    end: new Date(at(4)),
    stepMs: MINUTE_MS,
    scope: WHOLE_SCOPE,
    metric,
    kind: null,
    unit: null,
    filter: parseFilter(filter),
  });
}

function exponential(scale: number, counts: Readonly<Record<number, number>>): Buckets {
  const entries = Object.entries(counts).map(([index, count]) => [Number(index), count] as const)
    .sort(([some], [other]) => some - other);
  const positive = {
    indexes: entries.map(([index]) => index),
    counts: entries.map(([, count]) => count),
  };
  const negative = { indexes: [], counts: [] };
  return { kind: "exponential", scale, zeroCount: 0, zeroThreshold: 0, positive, negative };
}

Deno.test("a heat map has a row for each bucket between the first and the last with anything", async () => {
  const bounds = [1, 2, 5, 10, 20];
  const each = (...counts: number[]) => explicitBuckets(bounds, counts);
  const { times, rows, columns, unit } = await heatmapOf("duration", [
    histogramSeries("duration", { host: "a" }, [[at(1), each(0, 3, 0, 1, 0, 0)]]),
    histogramSeries("duration", { host: "b" }, [
      [at(1), each(0, 4, 0, 0, 0, 0)],
      [at(3), each(0, 0, 0, 2, 0, 0)],
    ]),
  ]);
  assert.deepEqual(times, [at(0), at(1), at(2), at(3)]);
  assert.equal(unit, "s");
  assert.deepEqual(rows, [{ from: 1, to: 2 }, { from: 2, to: 5 }, { from: 5, to: 10 }]);
  assert.deepEqual(columns, [[7, 0, 1], null, [0, 0, 2], null]);
});

Deno.test("what lies beyond the last bound has a row without an end", async () => {
  const { rows, columns } = await heatmapOf("duration", [
    histogramSeries("duration", { host: "a" }, [[at(1), explicitBuckets([1], [2, 3])]]),
    histogramSeries("duration", { host: "b" }, [[at(1), explicitBuckets([1], [9, 9])]]),
  ], 'host="a"');
  assert.deepEqual(rows, [{ from: null, to: 1 }, { from: 1, to: null }]);
  assert.deepEqual(columns[0], [2, 3]);
});

Deno.test("exponential buckets of any scale have at most 40 rows, and no observation is lost", async () => {
  const wide = Object.fromEntries(Array.from({ length: 100 }, (_, place) => [place - 20, 1]));
  const { rows, columns } = await heatmapOf("duration", [
    histogramSeries("duration", { host: "a" }, [[at(1), exponential(3, wide)]]),
    histogramSeries("duration", { host: "b" }, [[at(2), exponential(0, { 2: 5 })]]),
  ]);
  assert.ok(rows.length > 5 && rows.length <= 40, String(rows.length));
  const totals = columns.map((column) => column?.reduce((sum, count) => sum + count, 0) ?? null);
  assert.ok(Math.abs((totals[0] ?? 0) - 100) < 1e-9);
  assert.deepEqual(totals.slice(1), [5, null, null]);
  const place = columns[1]?.findIndex((count) => count > 0) ?? -1;
  assert.ok((rows[place]?.from ?? NaN) >= 4 && (rows[place]?.to ?? NaN) <= 8);
});

Deno.test("Prometheus' counters of buckets make a heat map as well", async () => {
  const buckets: [le: string, counts: number[]][] = [
    ["0.1", [0, 2, 2]],
    ["0.5", [0, 5, 6]],
    ["+Inf", [0, 5, 10]],
  ];
  const { rows, columns } = await heatmapOf(
    "x_bucket",
    buckets.map(([le, counts]) =>
      counterSeries("x_bucket", { le }, counts.map((count, minute) => [at(minute), count]))
    ),
  );
  assert.deepEqual(rows, [{ from: null, to: 0.1 }, { from: 0.1, to: 0.5 }, {
    from: 0.5,
    to: null,
  }]);
  assert.deepEqual(columns.slice(0, 2), [[2, 3, 0], [0, 1, 4]]);
});

Deno.test("metrics without buckets have no heat map", async () => {
  await assert.rejects(
    heatmapOf("memory", [gaugeSeries("memory", {}, [[at(1), 1]])]),
    (error) => error instanceof InvalidQuery && /memory is a gauge/.test(error.message),
  );
  const { rows, columns } = await heatmapOf("nothing", [gaugeSeries("memory", {}, [[at(1), 1]])]);
  assert.deepEqual([rows, columns], [[], [null, null, null, null]]);
});
