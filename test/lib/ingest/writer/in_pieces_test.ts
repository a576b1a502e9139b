import assert from "node:assert/strict";
import { idsOf } from "@/lib/metrics/ids.ts";
import { inPieces, type NewSeries } from "@/lib/ingest/writer/save_metrics.ts";
import { gaugeSeries } from "@/test/support/metric_series.ts";

const at = new Date();
const fresh = Array.from({ length: 10 }, (_, place) => ({
  projectId: "1",
  series: gaugeSeries("memory", { host: String(place).repeat(96) }, []),
  seenAt: at,
  firstAt: at,
}));
const idOf = ({ series }: NewSeries) => BigInt(idsOf(series).seriesId);

Deno.test("series whose labels are short are one piece, as they are", () => {
  assert.deepEqual(inPieces(fresh), [fresh]);
});

Deno.test("series whose labels are long together are several pieces, in the order of their ids", () => {
  const pieces = inPieces(fresh, 300);
  assert.deepEqual(pieces.map(({ length }) => length), [3, 3, 3, 1]);
  const ids = pieces.flat().map(idOf);
  assert.deepEqual(ids, fresh.map(idOf).sort((a, b) => a < b ? -1 : 1));
  assert.deepEqual(inPieces(fresh, 1).map(({ length }) => length), new Array(10).fill(1));
});
