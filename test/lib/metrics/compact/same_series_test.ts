import assert from "node:assert/strict";
import { otlpMetrics } from "@/lib/ingest/protocols/otlp.ts";
import { openBatch } from "@/lib/metrics/codec/batch.ts";
import type { MetricBatch, MetricSeries } from "@/lib/records/mod.ts";
import { decodeWith, only, recordsOf } from "@/test/lib/formats/otlp/decode_request.ts";
import { attributes, metrics, RECEIVED_AT } from "@/test/lib/formats/otlp/otlp_samples.ts";
import { metricsToProtobuf } from "@/test/lib/formats/otlp/otlp_to_protobuf.ts";
import { metricStore, PROJECT } from "@/test/support/metric_store.ts";
import { testWriter } from "@/test/support/writer.ts";

const SECOND = 1_000;
const START = RECEIVED_AT.getTime() - 600 * SECOND;
const RANGE = { startMs: START, endMs: RECEIVED_AT.getTime() };

type Value = readonly [host: string, value: number];
let requests = 0;

/** A request in which each host has one point at a time. */
function requestOf(second: number, values: readonly Value[]): MetricBatch {
  const dataPoints = values.map(([host, value]) => ({
    timeUnixNano: `${START + second * SECOND}000000`,
    asDouble: value,
    attributes: attributes({ host }),
  }));
  const batch = decodeWith(
    otlpMetrics,
    metricsToProtobuf(metrics([{ name: "level", gauge: { dataPoints } }])),
    { contentType: "application/x-protobuf", requestId: `request ${requests++}` },
  );
  return only(recordsOf(batch, "metrics"));
}

async function stored() {
  await using opened = new AsyncDisposableStack();
  const store = opened.use(await metricStore());
  const writer = opened.use(testWriter(store.sql));
  const all = opened.move();
  return {
    ...store,
    /** Each request is stored before the next one comes. */
    async send(...batches: MetricBatch[]): Promise<void> {
      for (const [place, batch] of batches.entries()) {
        const receivedAt = new Date(RECEIVED_AT.getTime() + place);
        await writer.store(PROJECT, Object.assign(batch, { receivedAt }));
      }
    },
    /** Values of each host by their seconds. */
    async read(series: MetricSeries): Promise<Record<string, string>> {
      const rows = await store.sql<{ id: string; host: string }[]>`
        select series_id as id, labels->>'host' as host from metric_series
      `;
      const hosts = new Map(rows.map(({ id, host }) => [id, host]));
      const read = await store.raw(series, RANGE);
      return Object.fromEntries(read.map(({ seriesId, times, values }) => [
        hosts.get(seriesId) ?? "",
        Array.from(times, (time, place) => `${(time - START) / SECOND}=${values[place]}`).join(" "),
      ]));
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

const ALL = ["a", "b", "c"];
const hosts = (value: number, names = ALL): Value[] => names.map((name) => [name, value]);

Deno.test("points of requests with the same series are read as they were sent, packed or not", async () => {
  await using store = await stored();
  const batches = [1, 2, 3, 4, 5].map((second) => requestOf(second, hosts(10 * second)));
  await store.send(...batches);
  const [series] = batches[0]?.series ?? [];
  assert.ok(series);
  const values = "1=10 2=20 3=30 4=40 5=50";
  const expected = { a: values, b: values, c: values };
  assert.deepEqual(await store.read(series), expected);
  assert.equal(await store.pack(), 5);
  assert.deepEqual(await store.read(series), expected);
});

Deno.test("of points at one time the later stays, whichever series its request has beside it", async () => {
  await using store = await stored();
  const batches = [
    requestOf(1, hosts(1)),
    requestOf(1, hosts(2, ["b", "a"])),
    requestOf(1, [["c", 3]]),
    requestOf(2, hosts(4)),
    requestOf(2, hosts(5, ["c", "b"])),
    requestOf(2, hosts(6)),
  ];
  await store.send(...batches);
  const [series] = batches[0]?.series ?? [];
  assert.ok(series);
  const expected = { a: "1=2 2=6", b: "1=2 2=6", c: "1=3 2=6" };
  assert.deepEqual(await store.read(series), expected);
  await store.pack();
  assert.deepEqual(await store.read(series), expected);
});

Deno.test("requests with the same series are written in columns, and those with repeats are not", async () => {
  await using store = await stored();
  await store.send(requestOf(1, hosts(1)), requestOf(2, [["a", 1], ["a", 2]]));
  const rows = await store.sql<{ body: Uint8Array }[]>`
    select body from metric_batches order by received_at
  `;
  assert.deepEqual(rows.map(({ body }) => openBatch(body).wide !== null), [true, false]);
});

Deno.test("a batch in columns that was cut short is set aside, and the others are packed", async () => {
  await using store = await stored();
  const batches = [1, 2].map((second) => requestOf(second, hosts(second)));
  await store.send(...batches);
  await store.sql`
    update metric_batches set body = substr(body, 1, length(body) - 12)
    where received_at = ${RECEIVED_AT}
  `;
  assert.equal(await store.pack(), 1);
  const [series] = batches[0]?.series ?? [];
  assert.ok(series);
  assert.deepEqual(await store.read(series), { a: "2=2", b: "2=2", c: "2=2" });
});
