import assert from "node:assert/strict";
import { otlpMetrics } from "@/lib/ingest/protocols/otlp.ts";
import { decodeMetrics, decodeWith, only, recordsOf } from "./decode_request.ts";
import { metrics, nanosAt } from "./otlp_samples.ts";
import { metricsToProtobuf } from "./otlp_to_protobuf.ts";
import { exponential, faultsOf, histogram, numbersOf, point, sum } from "./read_batch.ts";

const DAY_MS = 86_400_000;

Deno.test("a bad point is counted with its reason, and the good one beside it is kept", () => {
  const bad: Record<string, Record<string, unknown>[]> = {
    no_time: [{ timeUnixNano: "0" }, { timeUnixNano: undefined }, { timeUnixNano: "x" }],
    too_old: [{ timeUnixNano: "1" }, { timeUnixNano: "1000000" }, {
      timeUnixNano: nanosAt(-91 * DAY_MS),
    }],
    future: [{ timeUnixNano: nanosAt(2 * 3_600_000) }, { timeUnixNano: "18446744073709551615" }],
    no_value: [{ asDouble: undefined }, { asDouble: null }, { asDouble: "much" }],
    not_finite: [{ asDouble: "NaN" }, { asDouble: "Infinity" }, { asDouble: "-Infinity" }],
    negative_counter: [{ asDouble: -1 }],
  };
  for (const [reason, list] of Object.entries(bad)) {
    const request = metrics([sum([...list.map((fields) => point(fields)), point()])]);
    const batch = decodeMetrics(request);
    assert.deepEqual(batch.outcomes, [
      { category: "trace_metric", kind: "invalid", reason, quantity: list.length },
    ]);
    assert.equal(only(recordsOf(batch, "metrics")).pointCount, 1, reason);
  }
});

Deno.test("numbers that are none are told from good ones in protobuf as well", () => {
  const values = [NaN, Infinity, -Infinity, 5].map((asDouble) => point({ asDouble }));
  const body = metricsToProtobuf(metrics([sum(values)]));
  const batch = decodeWith(otlpMetrics, body, { contentType: "application/x-protobuf" });
  assert.deepEqual(batch.outcomes.map(({ reason, quantity }) => [reason, quantity]), [
    ["not_finite", 3],
  ]);
  assert.equal(only(recordsOf(batch, "metrics")).pointCount, 1);
});

Deno.test("metrics without a name or of no temporality lose all their points", () => {
  assert.deepEqual(faultsOf({ ...sum([point(), point()]), name: " " }), ["2 no_name"]);
  assert.deepEqual(faultsOf({ ...sum([point()]), name: "n".repeat(256) }), ["1 name_too_long"]);
  for (const temporality of [0, 3]) {
    assert.deepEqual(faultsOf(histogram({}, temporality)), ["1 no_temporality"]);
  }
  for (const aggregationTemporality of [0, 99, undefined, "WEEKLY"]) {
    assert.deepEqual(faultsOf(sum([point()], { aggregationTemporality })), ["1 no_temporality"]);
  }
});

Deno.test("histograms whose buckets cannot be are rejected", () => {
  const fault = (fields: Record<string, unknown>) => faultsOf(histogram(fields)).join();
  assert.equal(fault({ count: "7" }), "1 counts_differ");
  assert.equal(fault({ bucketCounts: ["1", "5"] }), "1 counts_differ");
  assert.equal(fault({ explicitBounds: [] }), "1 counts_differ");
  assert.equal(fault({ explicitBounds: [2, 1] }), "1 bad_bounds");
  assert.equal(fault({ explicitBounds: [1, 1] }), "1 bad_bounds");
  assert.equal(fault({ explicitBounds: ["NaN", 1] }), "1 bad_bounds");
  assert.equal(fault({ explicitBounds: ["-Infinity", 1] }), "1 bad_bounds");
  assert.equal(fault({ bucketCounts: ["-1", "4", "3"] }), "1 bad_count");
  assert.equal(fault({ bucketCounts: ["x", "4", "3"] }), "1 bad_count");
  assert.equal(fault({ count: "-6" }), "1 bad_count");
  assert.equal(fault({ sum: "NaN" }), "1 not_finite");
  const bounds = Array.from({ length: 1_000 }, (_, index) => index);
  const counts = [...bounds.fill(0, 1_001), 0].map(() => "0");
  assert.equal(
    fault({ explicitBounds: bounds, bucketCounts: counts, count: "0" }),
    "1 too_many_buckets",
  );
});

Deno.test("exponential histograms whose buckets cannot be are rejected", () => {
  const fault = (fields: Record<string, unknown>) => faultsOf(exponential(fields)).join();
  assert.equal(fault({ scale: 21 }), "1 bad_scale");
  assert.equal(fault({ scale: -11 }), "1 bad_scale");
  assert.equal(fault({ scale: 1.5 }), "1 bad_scale");
  assert.equal(fault({ count: 5 }), "1 counts_differ");
  assert.equal(fault({ zeroCount: "-1" }), "1 bad_count");
  assert.equal(fault({ zeroThreshold: -1 }), "1 not_finite");
  assert.equal(fault({ positive: { offset: 2 ** 31 - 9, bucketCounts: ["5"] } }), "1 bad_scale");
});

Deno.test("a point that says that nothing was recorded is neither stored nor counted", () => {
  const { asDouble: _, ...empty } = point({ flags: 1 });
  const { records, outcomes } = decodeMetrics(
    metrics([sum([empty]), histogram({ flags: 1, count: 9 })]),
  );
  assert.deepEqual([records, outcomes], [[], []]);
});

Deno.test("a start that cannot be is as good as none", () => {
  const startOf = (startTimeUnixNano: string) =>
    numbersOf(sum([point({ startTimeUnixNano })])).points[0]?.startMs;
  assert.equal(startOf(nanosAt(1)), 0);
  assert.equal(startOf("0"), 0);
  assert.notEqual(startOf(nanosAt(0)), 0);
});

Deno.test("empty and unknown parts are no fault", () => {
  const odd = {
    resourceMetrics: [
      {},
      null,
      { resource: null, scopeMetrics: [{}, { metrics: [{ name: "x" }, { gauge: {} }] }] },
      { scopeMetrics: [{ metrics: [{ name: "y", gauge: { dataPoints: [] }, unheardOf: 1 }] }] },
    ],
  };
  const { records, outcomes } = decodeMetrics(odd);
  assert.deepEqual([records, outcomes], [[], []]);
});
