import assert from "node:assert/strict";
import { packedBatch } from "@/lib/metrics/codec/batch.ts";
import { FreshPoints, SlotPoints } from "@/lib/metrics/compact/fresh_points.ts";
import { SLOT_MS } from "@/lib/metrics/slots.ts";
import { otlpMetrics } from "@/lib/ingest/protocols/otlp.ts";
import { decodeWith, only, recordsOf } from "@/test/lib/formats/otlp/decode_request.ts";
import { attributes, metrics, RECEIVED_AT } from "@/test/lib/formats/otlp/otlp_samples.ts";
import { metricsToProtobuf } from "@/test/lib/formats/otlp/otlp_to_protobuf.ts";
import { rawHistograms } from "@/test/support/metric_series.ts";

Deno.test("as many points of one series as a request may have are packed with what came before", () => {
  const slot = 250_000 * SLOT_MS;
  const of = (count: number) =>
    rawHistograms(
      "1",
      "delta",
      Array.from({ length: count }, (_, place) => ({
        timeMs: slot + 1 + place,
        startMs: 0,
        count: 1,
        sum: 1,
        min: null,
        max: null,
        buckets: { kind: "explicit", bounds: [], counts: [] },
      })),
    );
  const points = new SlotPoints("1", "histogram", slot);
  points.add(of(1));
  points.add(of(200_000));
  const [series] = points.series();
  assert.deepEqual([series?.times.length, series?.values.length], [200_001, 200_001]);
});

Deno.test("points of requests that came out of order lie in the slots of their times", () => {
  const edge = Math.floor(RECEIVED_AT.getTime() / SLOT_MS) * SLOT_MS;
  const bodyAt = (timeMs: number) => {
    const dataPoints = ["a", "b"].map((host) => ({
      timeUnixNano: `${timeMs}000000`,
      asDouble: timeMs - edge,
      attributes: attributes({ host }),
    }));
    const request = metrics([{ name: "level", gauge: { dataPoints } }]);
    const batch = decodeWith(otlpMetrics, metricsToProtobuf(request), {
      contentType: "application/x-protobuf",
    });
    return Uint8Array.fromBase64(packedBatch(only(recordsOf(batch, "metrics"))).body);
  };
  const fresh = new FreshPoints();
  for (const seconds of [-3, 1, -2, 2, -1]) fresh.addBatch(bodyAt(edge + seconds * 1_000));
  const found = fresh.slots().map((points) => [
    points.slot - edge,
    points.series().map(({ values }) => Array.from(values as Float64Array)),
  ]);
  const before = [-3_000, -2_000, -1_000];
  const after = [1_000, 2_000];
  assert.deepEqual(found, [[-SLOT_MS, [before, before]], [0, [after, after]]]);
});
