import assert from "node:assert/strict";
import { limitSeries } from "@/lib/ingest/admit.ts";
import { openSeriesLimits } from "@/lib/metrics/series_limits.ts";
import type { Batch, MetricSeries } from "@/lib/records/mod.ts";
import { faultyLink } from "../../support/faulty_link.ts";
import { gaugeSeries, metricBatch } from "../../support/metric_series.ts";
import { metricStore, PROJECT } from "../../support/metric_store.ts";

const NOW = Date.now();
const CAPS = { ofMetric: 3, ofProject: 5 };

const series = (name: string, host: number): MetricSeries =>
  gaugeSeries(name, { host: String(host) }, [[NOW, 1], [NOW + 1, 2]]);

const many = (name: string, hosts: number) =>
  Array.from({ length: hosts }, (_, host) => series(name, host));

function batchOf(all: readonly MetricSeries[]): Batch & { readonly extra: string } {
  return { records: [metricBatch(all)], outcomes: [], eventId: null, extra: "kept" };
}

function kept({ records }: Batch): number[] {
  return records.map((record) => record.kind === "metrics" ? record.pointCount : 0);
}

Deno.test("of a metric with too many series those beyond are counted under its name, with their points", async () => {
  await using store = await metricStore();
  const limits = openSeriesLimits(store.sql, CAPS);
  const batch = await limitSeries(batchOf(many("memory", 5)), PROJECT, limits);
  assert.deepEqual(kept(batch), [6]);
  assert.deepEqual(batch.outcomes, [{
    category: "trace_metric",
    kind: "refused",
    reason: "series_limit:memory",
    quantity: 4,
  }]);
  assert.equal(batch.extra, "kept");
  // Those that were let in stay in.
  const again = await limitSeries(batchOf(many("memory", 3)), PROJECT, limits);
  assert.deepEqual(again.outcomes, []);
});

Deno.test("a project may have only so many series of all metrics together", async () => {
  await using store = await metricStore();
  const limits = openSeriesLimits(store.sql, CAPS);
  const all = [...many("memory", 3), ...many("load", 3)];
  const batch = await limitSeries(batchOf(all), PROJECT, limits);
  assert.deepEqual(kept(batch), [10]);
  assert.deepEqual(batch.outcomes.map(({ reason }) => reason), ["series_limit:load"]);
  const other = await limitSeries(batchOf(all), "2", limits);
  assert.deepEqual(kept(other), [10]);
});

Deno.test("series that other processes stored count; those of the day before yesterday do not", async () => {
  await using store = await metricStore();
  await store.store(...many("memory", 3));
  const limited = async () =>
    (await limitSeries(
      batchOf([series("memory", 7)]),
      PROJECT,
      openSeriesLimits(store.sql, CAPS),
    )).outcomes.length;
  assert.equal(await limited(), 1);
  await store.sql`update metric_series set seen_on = seen_on - 2`;
  assert.equal(await limited(), 0);
});

Deno.test("a batch of nothing but what is too much leaves no record", async () => {
  await using store = await metricStore();
  const limits = openSeriesLimits(store.sql, { ofMetric: 0, ofProject: 5 });
  const batch = await limitSeries(batchOf(many("memory", 1)), PROJECT, limits);
  assert.deepEqual(batch.records, []);
});

Deno.test("while Postgres is away series are let in", async () => {
  await using store = await metricStore();
  await using link = faultyLink(store.sql);
  link.pause();
  const limits = openSeriesLimits(link.sql, CAPS);
  const batch = await limitSeries(batchOf(many("memory", 2)), PROJECT, limits);
  link.resume();
  assert.deepEqual(kept(batch), [4]);
});

Deno.test("series of very many projects are forgotten rather than fill the memory", async () => {
  await using store = await metricStore();
  const limits = openSeriesLimits(store.sql, CAPS, 4);
  const admit = (projectId: string, hosts: readonly number[]) =>
    limitSeries(batchOf(hosts.map((host) => series("memory", host))), projectId, limits);
  await admit("1", [1, 2, 3]);
  assert.equal((await admit("1", [4])).outcomes.length, 1);
  await admit("2", [1, 2]);
  // Five are remembered by now, of which none was stored.
  await admit("3", [1]);
  assert.deepEqual((await admit("1", [4])).outcomes, []);
});

Deno.test("two hundred thousand metrics in one request are refused one by one, and nothing breaks", async () => {
  await using store = await metricStore();
  const limits = openSeriesLimits(store.sql, { ofMetric: 1, ofProject: 0 });
  const flood = Array.from({ length: 200_000 }, (_, place) => series(`m${place}`, 1));
  const { records, outcomes } = await limitSeries(batchOf(flood), PROJECT, limits);
  assert.deepEqual(records, []);
  assert.equal(outcomes.length, 200_000);
});
