import assert from "node:assert/strict";
import { otlpMetrics } from "@/lib/ingest/protocols/otlp.ts";
import type { Batch } from "@/lib/records/mod.ts";
import { assertAllStorable, decodeMetrics, decodeWith } from "./decode_request.ts";
import { attributes, metrics, nanosAt, RESOURCE, TRACE } from "./otlp_samples.ts";
import { metricsToProtobuf } from "./otlp_to_protobuf.ts";
import { exponential, histogram, point, sum } from "./read_batch.ts";

const EXEMPLARS = [
  { timeUnixNano: nanosAt(-5), asDouble: 0.25, traceId: TRACE, spanId: "eee19b7ec3c1b174" },
  { timeUnixNano: nanosAt(-4), asInt: "-3", traceId: TRACE, spanId: "" },
];

/** One of everything. */
const REQUEST = metrics([
  sum([point({ exemplars: EXEMPLARS }), point({ asInt: "9007199254740993", asDouble: undefined })]),
  sum([point({ flags: 1 })], { isMonotonic: false }),
  {
    name: "heap",
    unit: "By",
    gauge: { dataPoints: [point({ attributes: attributes({ n: -1.5 }) })] },
  },
  histogram({ min: 0.1, max: 9, exemplars: EXEMPLARS }, 1),
  exponential({
    min: -2,
    max: 9,
    count: "16",
    scale: -3,
    zeroThreshold: 0.01,
    negative: { offset: -3, bucketCounts: ["4", "6"] },
  }),
  {
    name: "pauses",
    summary: {
      dataPoints: [{
        ...point(),
        count: "3",
        sum: 1.5,
        quantileValues: [{ quantile: 0, value: 0.1 }, { quantile: 1, value: 1 }],
      }],
    },
  },
], RESOURCE);

function ofProtobuf(body: Uint8Array): Batch {
  return decodeWith(otlpMetrics, body, { contentType: "application/x-protobuf" });
}

Deno.test("both encodings of a request make the same record", () => {
  const batch = decodeMetrics(REQUEST);
  assert.equal(batch.records.length, 1);
  assert.deepEqual(batch.outcomes, []);
  assert.deepEqual(ofProtobuf(metricsToProtobuf(REQUEST)), batch);
  assertAllStorable(batch);
  // Once more, now that all labels are remembered.
  assert.deepEqual(ofProtobuf(metricsToProtobuf(REQUEST)), batch);
});

Deno.test("names as the protocol's definition writes them, numbers as texts and texts as numbers do as well", () => {
  const { records } = decodeMetrics({
    resource_metrics: [{
      scope_metrics: [{
        metrics: [{
          name: "took",
          unit: "s",
          exponential_histogram: {
            aggregation_temporality: "2",
            data_points: [{
              start_time_unix_nano: Number(nanosAt(-60_000)),
              time_unix_nano: Number(nanosAt(0)),
              count: 6,
              sum: "20",
              scale: "2",
              zero_count: 1,
              positive: { offset: "4", bucket_counts: [2, "0", 3] },
            }],
          },
        }],
      }],
    }],
  });
  const [record] = records;
  assert.ok(record?.kind === "metrics");
  assert.equal(record.pointCount, 1);
});

/** Fields of a message in the opposite order, as far as a message of messages has them. */
function reversed(body: Uint8Array, depth: number): Uint8Array {
  const fields: Uint8Array[] = [];
  for (let at = 0; at < body.length;) {
    const tag = body[at] ?? 0;
    let length = 0;
    let start = at + 1;
    for (let shift = 0;; shift += 7) {
      const byte = body[start++] ?? 0;
      length |= (byte & 0x7f) << shift;
      if (byte < 0x80) break;
    }
    assert.equal(tag & 7, 2);
    const inner = body.subarray(start, start + length);
    const content = depth === 0 ? inner : reversed(inner, depth - 1);
    fields.unshift(new Uint8Array([...body.subarray(at, start), ...content]));
    at = start + length;
  }
  return new Uint8Array(fields.flatMap((field) => [...field]));
}

Deno.test("the order of fields in protobuf does not matter", () => {
  const body = metricsToProtobuf(metrics([sum([point()])]));
  // The resource then follows what is said of it.
  assert.deepEqual(ofProtobuf(reversed(body, 1)).records, ofProtobuf(body).records);
});

Deno.test("attributes of a point need not stand in a row", () => {
  const encode = (own: Record<string, unknown>[]) =>
    metricsToProtobuf(metrics([sum([point({ attributes: own })])]));
  const whole = encode(attributes({ a: "1", b: "2" }));
  // One field of eight bytes moves between the two: the value, which stands before them.
  const text = Array.from(whole, (byte) => String.fromCharCode(byte)).join("");
  const value = text.indexOf("\x21", text.indexOf("\x19"));
  const first = text.indexOf("\x3a", value + 9);
  const length = 2 + text.charCodeAt(first + 1);
  const moved = text.slice(0, value) + text.slice(first, first + length) +
    text.slice(value, value + 9) + text.slice(first + length);
  const body = Uint8Array.from(moved, (unit) => unit.charCodeAt(0));
  assert.notDeepEqual(body, whole);
  assert.deepEqual(ofProtobuf(body).records, ofProtobuf(whole).records);
});

Deno.test("the example of OpenTelemetry's own is read whole", () => {
  const time = { startTimeUnixNano: nanosAt(-1_000), timeUnixNano: nanosAt(0) };
  const own = [{ key: "my.counter.attr", value: { stringValue: "some value" } }];
  const example = {
    resourceMetrics: [{
      resource: { attributes: [{ key: "service.name", value: { stringValue: "my.service" } }] },
      scopeMetrics: [{
        scope: {
          name: "my.library",
          version: "1.0.0",
          attributes: [{
            key: "my.scope.attribute",
            value: { stringValue: "some scope attribute" },
          }],
        },
        metrics: [
          {
            name: "my.counter",
            unit: "1",
            description: "I am a Counter",
            sum: {
              aggregationTemporality: 1,
              isMonotonic: true,
              dataPoints: [{ asDouble: 5, ...time, attributes: own }],
            },
          },
          {
            name: "my.gauge",
            unit: "1",
            gauge: {
              dataPoints: [{ asDouble: 10, timeUnixNano: time.timeUnixNano, attributes: own }],
            },
          },
          {
            name: "my.histogram",
            unit: "1",
            histogram: {
              aggregationTemporality: 1,
              dataPoints: [{
                ...time,
                count: 2,
                sum: 2,
                bucketCounts: [1, 1],
                explicitBounds: [1],
                min: 0,
                max: 2,
                attributes: own,
              }],
            },
          },
          {
            name: "my.exponential.histogram",
            unit: "1",
            exponentialHistogram: {
              aggregationTemporality: 1,
              dataPoints: [{
                ...time,
                count: 3,
                sum: 10,
                scale: 0,
                zeroCount: 1,
                positive: { offset: 1, bucketCounts: [0, 2] },
                min: 0,
                max: 5,
                zeroThreshold: 0,
                attributes: own,
              }],
            },
          },
        ],
      }],
    }],
  };
  const { records, outcomes } = decodeMetrics(example);
  const [record] = records;
  assert.deepEqual(outcomes, []);
  assert.ok(record?.kind === "metrics");
  assert.deepEqual(
    record.series.map(({ metric, temporality }) => `${metric.kind} ${temporality}`),
    [
      "counter delta",
      "gauge level",
      "histogram delta",
      "histogram delta",
    ],
  );
  assert.deepEqual(record.series[0]?.labels, [
    ["my.counter.attr", "some value"],
    ["otel.scope.name", "my.library"],
    ["service", "my.service"],
  ]);
});
