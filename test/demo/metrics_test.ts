import assert from "node:assert/strict";
import { Random } from "../../demo/chance.ts";
import { metricsOfTwoWeeks } from "../../demo/metrics.ts";
import { history } from "../../demo/traces.ts";
import { otlpMetrics } from "../../lib/ingest/protocols/otlp.ts";
import type { Batch, MetricBatch } from "../../lib/records/mod.ts";
import { decodeContext } from "../support/decode_context.ts";

const now = new Date();
const traces = history(new Random(7), now);
const encoder = new TextEncoder();

/** What the intake makes of all metrics that are sent. */
const batches: Batch[] = metricsOfTwoWeeks(new Random(8), now, traces).map(({ body }) =>
  otlpMetrics.decode(
    encoder.encode(JSON.stringify(body)),
    decodeContext({ contentType: "application/json", maxEventBytes: 10_000_000 }),
  )
);
const series = batches.flatMap(({ records }) => records)
  .filter((record): record is MetricBatch => record.kind === "metrics")
  .flatMap((record) => record.series);

function labelOf(labels: readonly (readonly [string, string])[], name: string): string | undefined {
  return labels.find(([key]) => key === name)?.[1];
}

Deno.test("the intake drops nothing of the demo's metrics", () => {
  assert.deepEqual(batches.flatMap(({ outcomes }) => outcomes), []);
  const names = new Set(series.map(({ metric }) => metric.name));
  assert.equal(names.size, 20);
  const kinds = new Set(series.map(({ metric }) => metric.kind));
  assert.deepEqual([...kinds].sort(), ["counter", "gauge", "histogram"]);
});

Deno.test("counters only grow while a release runs", () => {
  const orders = series.filter(({ metric, labels }) =>
    metric.name === "shop.orders" && labelOf(labels, "payment.method") === "card" &&
    labelOf(labels, "environment") === "production"
  );
  const byRelease = Map.groupBy(orders, ({ labels }) => labelOf(labels, "release"));
  assert.equal(byRelease.size, 3);
  for (const [release, own] of byRelease) {
    const values = own.flatMap((each) => each.shape === "number" ? each.points : [])
      .map(({ value }) => value);
    assert.ok(values.length > 10, release);
    assert.ok(values.every((value, at) => at === 0 || value >= (values[at - 1] ?? 0)), release);
  }
});

Deno.test("exemplars of requests lead to traces that are there", () => {
  const known = new Set(traces.map(({ traceId }) => traceId));
  const examples = series.flatMap(({ exemplars }) => exemplars);
  assert.ok(examples.length > 100, `${examples.length} exemplars`);
  for (const { traceId } of examples) assert.ok(known.has(traceId ?? ""));
});
