import assert from "node:assert/strict";
import { readExemplars } from "@/lib/metrics/explore/exemplars.tsx";
import { idsOf, metricIdOf } from "@/lib/metrics/ids.ts";
import type { MetricSeries, NumberSeries } from "@/lib/records/mod.ts";
import { counterSeries, gaugeSeries, metricBatch } from "@/test/support/metric_series.ts";
import { metricStore, PROJECT } from "@/test/support/metric_store.ts";

const MINUTE = 60_000;
const START = Math.floor(Date.now() / (120 * MINUTE)) * 120 * MINUTE - 240 * MINUTE;
const RANGE = { startMs: START - 60 * MINUTE, endMs: START + 60 * MINUTE };

function points(series: readonly { readonly seriesId: string }[]) {
  return series.map((each) => {
    const { times, values } = each as unknown as { times: Float64Array; values: Float64Array };
    return [...times].map((time, place) => [(time - START) / MINUTE, values[place]]);
  });
}

Deno.test("points of many requests, in any order, are read as one series", async () => {
  await using store = await metricStore();
  const at = (minute: number, value: number) =>
    gaugeSeries("memory", { host: "a" }, [[START + minute * MINUTE, value]]);
  await store.store(at(3, 30), gaugeSeries("memory", { host: "b" }, [[START, 7]]));
  await store.store(at(1, 10));
  await store.pack();
  await store.store(at(2, 20));
  const read = await store.raw(at(0, 0), RANGE);
  assert.deepEqual(points(read).sort(), [[[0, 7]], [[1, 10], [2, 20], [3, 30]]]);
  const [row] = await store.sql`
    select count(*)::int as series, min(labels->>'host') as host from metric_series
  `;
  assert.deepEqual(row, { series: 2, host: "a" });
});

Deno.test("a point that comes twice is stored once, and of two at one time the later stays", async () => {
  await using store = await metricStore();
  const point = (value: number) => gaugeSeries("memory", {}, [[START, value]]);
  const other = (value: number) => gaugeSeries("memory", {}, [[START + MINUTE, value]]);
  await store.store(point(1));
  await store.store(point(1));
  await store.store(other(2));
  await store.pack();
  await store.store(other(3));
  assert.deepEqual(points(await store.raw(point(0), RANGE)), [[[0, 1], [1, 3]]]);
  await store.pack();
  assert.deepEqual(points(await store.raw(point(0), RANGE)), [[[0, 1], [1, 3]]]);
  await store.settle(new Date(START + 240 * MINUTE));
  assert.deepEqual(points(await store.raw(point(0), RANGE)), [[[0, 1], [1, 3]]]);
});

Deno.test("of what was observed, two at one time both count", async () => {
  await using store = await metricStore();
  const series = counterSeries("orders", {}, [[START, 1], [START, 1]], { temporality: "observed" });
  await store.store(series);
  await store.store(series);
  const sum = async () =>
    (await store.steps(series, RANGE, MINUTE)).map((steps) =>
      "increases" in steps ? [...steps.increases] : []
    );
  assert.deepEqual(await sum(), [[4]]);
  await store.pack();
  assert.deepEqual(await sum(), [[4]]);
  await store.settle(new Date(START + 240 * MINUTE));
  assert.deepEqual(await sum(), [[4]]);
});

Deno.test("the same batch a second time is a duplicate", async () => {
  await using store = await metricStore();
  const { testWriter } = await import("@/test/support/writer.ts");
  await using writer = testWriter(store.sql);
  const batch = metricBatch([gaugeSeries("memory", {}, [[START, 1], [START + 1, 2]])]);
  assert.deepEqual(await writer.store(PROJECT, batch), { stored: 1, duplicates: 0, refused: 0 });
  assert.deepEqual(await writer.store(PROJECT, batch), { stored: 0, duplicates: 1, refused: 0 });
  const outcomes = await store.sql`
    select category, kind, sum(quantity)::int as quantity from outcomes group by 1, 2 order by 2
  `;
  assert.deepEqual([...outcomes], [
    { category: "trace_metric", kind: "accepted", quantity: 2 },
    { category: "trace_metric", kind: "duplicate", quantity: 2 },
  ]);
});

Deno.test("one name with two kinds or units is two metrics", () => {
  const metric = { name: "size", kind: "gauge", unit: "By", description: "a" } as const;
  const id = metricIdOf(metric);
  assert.equal(metricIdOf({ ...metric, description: "b" }), id);
  assert.notEqual(metricIdOf({ ...metric, unit: "1" }), id);
  assert.notEqual(metricIdOf({ ...metric, kind: "counter" }), id);
});

Deno.test("ids of series never change, and tell every series from all others", () => {
  assert.deepEqual(idsOf(gaugeSeries("memory", { host: "a", region: "eu" }, [])), {
    metricId: "2572232071430306018",
    seriesId: "795619909943837948",
  });
  const ids = new Set<string>();
  for (let place = 0; place < 20_000; place++) {
    ids.add(idsOf(gaugeSeries("m", { a: String(place), b: String(place % 7) }, [])).seriesId);
  }
  const apart = [{ a: "b", c: "" }, { a: "", b: "c" }, { ab: "c" }, { a: "bc" }, {}];
  for (const labels of apart) ids.add(idsOf(gaugeSeries("m", labels, [])).seriesId);
  assert.equal(ids.size, 20_005);
  for (const id of ids) assert.ok(BigInt(id) < 2n ** 63n);
});

Deno.test("texts that Postgres refuses are stored without what it refuses", async () => {
  await using store = await metricStore();
  const series = gaugeSeries("mem\0ory", { "ho\0st": "a\ud800", quoted: '"\\\n\u001e{}' }, [
    [START, 1],
  ]);
  await store.store(series);
  const [row] = await store.sql`
    select name, labels from metrics join metric_series using (project_id, metric_id)
  `;
  assert.deepEqual(row, {
    name: "memory",
    labels: { host: "a\ufffd", quoted: '"\\\n\u001e{}' },
  });
});

Deno.test("a description follows what clients say, and stays when they say nothing", async () => {
  await using store = await metricStore();
  const described = (description: string): MetricSeries => {
    const series = gaugeSeries("memory", { description }, [[START, 1]]);
    return { ...series, metric: { ...series.metric, description } };
  };
  const known = async () => (await store.sql`select description from metrics`)[0]?.description;
  await store.store(described("Used memory"));
  await store.store(described(""));
  assert.equal(await known(), "Used memory");
  await store.store(described("Memory in use"));
  assert.equal(await known(), "Memory in use");
});

Deno.test("a few exemplars of a series and minute are kept, with their traces", async () => {
  await using store = await metricStore();
  const exemplars = Array.from({ length: 40 }, (_, place) => ({
    timeMs: START + place * 1_000,
    value: place,
    traceId: place.toString(16).padStart(32, "0"),
    spanId: place % 2 === 0 ? null : "00f067aa0ba902b7",
  }));
  const series: NumberSeries = {
    ...counterSeries("requests", {}, [[START, 1]]),
    exemplars: [...exemplars, { timeMs: START, value: 1, traceId: null, spanId: null }],
  };
  await store.store(series);
  const read = await readExemplars(store.sql, PROJECT, {
    metricIds: [idsOf(series).metricId],
    start: new Date(START),
    end: new Date(START + MINUTE),
    limit: 100,
  });
  assert.equal(read.length, 4);
  assert.deepEqual(read, read.toSorted((one, other) => other.timeMs - one.timeMs));
  for (const { timeMs, value, traceId, spanId } of read) {
    assert.equal(timeMs, START + value * 1_000);
    assert.equal(Number.parseInt(traceId, 16), value);
    assert.equal(spanId, value % 2 === 0 ? null : "00f067aa0ba902b7");
  }
});

Deno.test("a series is first seen at its earliest point, not when it was stored", async () => {
  await using store = await metricStore();
  const firsts = async () => {
    const rows = await store.sql<{ at: Date }[]>`
      select first_seen as at from metric_series order by labels->>'host'
    `;
    return rows.map(({ at }) => (Number(at) - START) / MINUTE);
  };
  const from = (host: string, minute: number) =>
    gaugeSeries("memory", { host }, [
      [START + (minute + 1) * MINUTE, 2],
      [START + minute * MINUTE, 1],
    ]);
  await store.store(from("a", 5), from("b", 7));
  assert.deepEqual(await firsts(), [5, 7]);
  await store.store(from("c", 2));
  assert.deepEqual(await firsts(), [5, 7, 2]);
});

Deno.test("clocks that are ahead do not make a series begin in the future", async () => {
  await using store = await metricStore();
  await store.store(gaugeSeries("memory", {}, [[Date.now() + 30 * MINUTE, 1]]));
  const [row] = await store.sql`select bool_and(first_seen <= now()) as past from metric_series`;
  assert.deepEqual(row, { past: true });
});
