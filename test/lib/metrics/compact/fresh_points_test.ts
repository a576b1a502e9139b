import assert from "node:assert/strict";
import { SlotPoints } from "@/lib/metrics/compact/fresh_points.ts";
import { SLOT_MS } from "@/lib/metrics/slots.ts";
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
