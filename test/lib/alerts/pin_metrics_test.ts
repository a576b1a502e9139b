import assert from "node:assert/strict";
import { checkAlert } from "@/lib/alerts/check_input.ts";
import { pinMetrics } from "@/lib/alerts/rules.ts";
import { explicitBuckets, histogramSeries } from "../../support/metric_series.ts";
import { metricStore, PROJECT } from "../../support/metric_store.ts";

Deno.test("an alert means the metric that is there, in its kind and unit; of unknown ones nothing is said", async () => {
  await using store = await metricStore();
  const buckets = explicitBuckets([1], [1, 2]);
  await store.store(histogramSeries("latency", {}, [[Date.now(), buckets]], { unit: "s" }));
  const checked = checkAlert({
    name: "Slow",
    source: {
      kind: "metric",
      queries: [
        { id: "a", metric: "latency", aggregation: "p95" },
        { id: "b", metric: "latency", aggregation: "p95", unit: "ms" },
        { id: "c", metric: "unknown", aggregation: "avg" },
      ],
      judged: "a",
    },
    condition: { comparison: ">", critical: 1 },
    windowMinutes: 5,
  });
  assert.ok(checked.ok);
  const { source } = await pinMetrics(store.sql, PROJECT, checked.input);
  assert.ok(source.kind === "metric");
  assert.deepEqual(source.queries.map(({ kind, unit }) => [kind, unit]), [
    ["histogram", "s"],
    [null, "ms"],
    [null, null],
  ]);
});
