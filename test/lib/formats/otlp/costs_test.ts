import assert from "node:assert/strict";
import { otlpMetrics } from "@/lib/ingest/protocols/otlp.ts";
import { prometheusWrite } from "@/lib/ingest/protocols/prometheus.ts";
import { decodeContext } from "@/test/support/decode_context.ts";
import { inTime } from "@/test/support/time_budget.ts";
import { toV2 } from "../prometheus/to_protobuf.ts";
import { decodeWith } from "./decode_request.ts";
import { attributes, nanosAt, RECEIVED_AT } from "./otlp_samples.ts";
import { metricsToProtobuf } from "./otlp_to_protobuf.ts";
import { pointsIn } from "./read_batch.ts";

const PROTOBUF = { contentType: "application/x-protobuf" };
const POINTS = 40_000;

/** So many labels of a kilobyte each. */
function longAttributes(count: number): Record<string, string> {
  return Object.fromEntries(
    Array.from({ length: count }, (_, index) => [`key${index}`, "v".repeat(1_000)]),
  );
}

const gauge = (dataPoints: unknown[]) => ({ name: "x", gauge: { dataPoints } });

Deno.test("long attributes of a resource are not read anew for each of its libraries", () => {
  const metrics = [gauge([{ timeUnixNano: nanosAt(0), asInt: 1 }])];
  const scopeMetrics = Array.from({ length: POINTS }, () => ({ metrics }));
  const resource = { attributes: attributes(longAttributes(16)) };
  const body = metricsToProtobuf({ resourceMetrics: [{ resource, scopeMetrics }] });
  const batch = inTime(3_000, () => decodeWith(otlpMetrics, body, PROTOBUF), "libraries");
  assert.equal(pointsIn(batch), POINTS);
});

Deno.test("long attributes of a resource are not read anew for each of its points", () => {
  const dataPoints = Array.from({ length: POINTS }, (_, index) => ({
    timeUnixNano: nanosAt(0),
    asInt: index,
    attributes: attributes({ i: String(index) }),
  }));
  const resource = { attributes: attributes(longAttributes(16)) };
  const scopeMetrics = [{ metrics: [gauge(dataPoints)] }];
  const body = metricsToProtobuf({ resourceMetrics: [{ resource, scopeMetrics }] });
  const batch = inTime(3_000, () => decodeWith(otlpMetrics, body, PROTOBUF), "points");
  // Their labels would be more than half a gigabyte in the database.
  const rejected = batch.outcomes.reduce((sum, { quantity }) => sum + quantity, 0);
  assert.equal(pointsIn(batch) + rejected, POINTS);
});

Deno.test("long texts that many series of remote write 2.0 name are read once", () => {
  const labels = longAttributes(16);
  const series = Array.from({ length: 20_000 }, (_, index) => ({
    labels: { __name__: "x", ...labels, key0: String(index % 50) },
    samples: [{ value: index, timeMs: RECEIVED_AT.getTime() }],
  }));
  const body = toV2(series);
  const context = decodeContext({
    receivedAt: RECEIVED_AT,
    contentType: "application/x-protobuf;proto=io.prometheus.write.v2.Request",
  });
  const batch = inTime(3_000, () => prometheusWrite.decode(body, context), "symbols");
  assert.equal(pointsIn(batch), 20_000);
});
