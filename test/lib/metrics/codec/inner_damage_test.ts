import assert from "node:assert/strict";
import fc from "fast-check";
import { readSection, writeSection } from "@/lib/metrics/codec/block.ts";
import { ByteReader, ByteWriter, DamagedBytes } from "@/lib/core/bytes.ts";
import type { RawSeries } from "@/lib/metrics/points.ts";
import { rawHistograms } from "@/test/support/metric_series.ts";

const SERIES: readonly RawSeries[] = [
  rawHistograms(
    "8",
    "delta",
    [1, 2, 3].map((place) => ({
      timeMs: place,
      startMs: 0,
      count: place,
      sum: place === 2 ? null : Math.PI,
      min: null,
      max: null,
      buckets: {
        kind: "exponential",
        scale: 3,
        zeroCount: 0,
        zeroThreshold: 0,
        positive: { indexes: [place, place + 9], counts: [1, place] },
        negative: { indexes: [], counts: [] },
      },
    })),
  ),
];

Deno.test("unpacked bytes that are damaged end in an error of their own, and soon", () => {
  const writer = new ByteWriter();
  writeSection(writer, SERIES);
  const bytes = writer.written().slice();
  assert.deepEqual(readSection(new ByteReader(bytes), null), SERIES);
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.nat(bytes.length - 1), fc.nat(255)), { minLength: 1, maxLength: 6 }),
      (changes) => {
        const damaged = bytes.slice();
        for (const [place, byte] of changes) damaged[place] = byte;
        try {
          readSection(new ByteReader(damaged), null);
        } catch (error) {
          assert.ok(error instanceof DamagedBytes, String(error));
        }
      },
    ),
    { numRuns: 2_000 },
  );
});
