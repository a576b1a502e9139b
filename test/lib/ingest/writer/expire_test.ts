import assert from "node:assert/strict";
import { deleteExpired } from "@/lib/store/retention.ts";
import { dropExpired } from "@/lib/store/partitions.ts";
import type { MetricSeries } from "@/lib/records/mod.ts";
import { gaugeSeries, metricBatch } from "@/test/support/metric_series.ts";
import { metricStore, PROJECT } from "@/test/support/metric_store.ts";
import { testWriter } from "@/test/support/writer.ts";

const DAY = 86_400_000;
const NOW = Date.now();

Deno.test("what has expired goes: blocks with their partitions, series that nobody sends", async () => {
  await using store = await metricStore();
  const { sql } = store;
  await using writer = testWriter(sql);
  const gauge = (name: string, age: number): MetricSeries => ({
    ...gaugeSeries(name, {}, [[NOW - age * DAY, 1]]),
    exemplars: [{ timeMs: NOW - age * DAY, value: 1, traceId: "a".repeat(32), spanId: null }],
  });
  const old = new Date(NOW - 40 * DAY);
  await writer.store(PROJECT, metricBatch([gauge("old", 40)], old));
  await writer.store(PROJECT, metricBatch([gauge("young", 3)]));
  await store.pack();
  while (await store.settle(new Date()) > 0);
  const counts = async () => {
    const [row] = await sql`
      select (select count(*) from metrics)::int as metrics,
        (select count(*) from metric_series)::int as series,
        (select count(*) from metric_slots where level = 1)::int as slots,
        (select count(*) from metric_blocks)::int as blocks,
        (select count(*) from metric_exemplars)::int as exemplars
    `;
    return row;
  };
  assert.deepEqual(await counts(), { metrics: 2, series: 2, slots: 2, blocks: 2, exemplars: 2 });
  await dropExpired(sql, 30);
  await deleteExpired(sql, 30, new AbortController().signal);
  assert.deepEqual(await counts(), { metrics: 1, series: 1, slots: 1, blocks: 1, exemplars: 1 });
});
