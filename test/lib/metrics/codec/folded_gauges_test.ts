import assert from "node:assert/strict";
import fc from "fast-check";
import { encodeBlock, foldBlock } from "@/lib/metrics/codec/block.ts";
import { FoldedGauges } from "@/lib/metrics/codec/folded_gauges.ts";
import type { RawNumbers, SeriesSteps } from "@/lib/metrics/points.ts";
import { joinAll, rollUp } from "@/lib/metrics/rollup.ts";
import { type StepRange, stepRuns } from "@/lib/metrics/slots.ts";

const START = Date.UTC(2026, 10, 20);
const MINUTE = 60_000;
const RANGE: StepRange = {
  stepMs: 10 * MINUTE,
  originMs: START - 3 * MINUTE,
  startMs: START + 5 * MINUTE,
  endMs: START + 100 * MINUTE,
};

function level(seriesId: string, values: readonly number[], stepMs: number): RawNumbers {
  return {
    shape: "number",
    seriesId,
    temporality: "level",
    times: Float64Array.from(values, (_, place) => START + place * stepMs),
    starts: new Float64Array(values.length),
    values: Float64Array.from(values),
  };
}

/** What a block comes to, series by series. */
function folded(block: Uint8Array, wanted: ReadonlySet<string> | null = null): SeriesSteps[] {
  const into = new FoldedGauges();
  foldBlock(block, wanted, (times) => stepRuns("gauge", times, RANGE), into);
  let from = 0;
  return into.seriesIds.map((seriesId, place) => {
    const times = into.runs[place]?.times ?? new Float64Array();
    const cut = (column: Float64Array) => column.slice(from, from + times.length);
    const { counts, sums, mins, maxs, lasts } = into.cells;
    const steps = {
      kind: "gauge" as const,
      seriesId,
      times,
      counts: cut(counts),
      sums: cut(sums),
      mins: cut(mins),
      maxs: cut(maxs),
      lasts: cut(lasts),
    };
    from += times.length;
    return steps;
  });
}

/** Whole ones, decimals, any, and one that never changes. */
const VALUES = fc.oneof(
  fc.array(fc.integer({ min: -1e6, max: 1e6 }), { minLength: 1, maxLength: 150 }),
  fc.array(fc.integer({ min: -1e6, max: 1e6 }).map((value) => value / 1_000), {
    minLength: 1,
    maxLength: 150,
  }),
  fc.array(fc.double({ noNaN: true, min: -1e9, max: 1e9 }), { minLength: 1, maxLength: 150 }),
  fc.tuple(fc.constantFrom(0.1, 7, -2.5, 1e300), fc.integer({ min: 1, max: 150 }))
    .map(([value, count]) => new Array<number>(count).fill(value)),
);
const SERIES = fc.record({
  values: VALUES.map((values) => values.map((value) => value + 0)),
  stepMs: fc.constantFrom(15_000, MINUTE, 7 * MINUTE),
});

Deno.test("a block of gauges is added up as its points are, whatever these are", () => {
  fc.assert(fc.property(fc.array(SERIES, { minLength: 1, maxLength: 6 }), (list) => {
    const series = list.map(({ values, stepMs }, place) => level(`${place}`, values, stepMs));
    const wanted = series.map((each) => rollUp("gauge", each, RANGE, 0))
      .filter(({ times }) => times.length > 0);
    assert.deepEqual(folded(encodeBlock(series)), wanted);
  }));
});

Deno.test("a block of a gauge's minutes is joined as its minutes are", () => {
  const minutes = [15_000, 30_000].map((stepMs, place) =>
    rollUp(
      "gauge",
      level(`${place}`, Array.from({ length: 300 }, (_, at) => (at * 37 % 101) / 10), stepMs),
      { stepMs: MINUTE, originMs: 0, startMs: START, endMs: START + 120 * MINUTE },
      0,
    )
  );
  const block = encodeBlock(minutes);
  assert.deepEqual(folded(block), minutes.map((each) => joinAll([each], RANGE)));
  assert.deepEqual(folded(block, new Set(["1"])).map(({ seriesId }) => seriesId), ["1"]);
});

Deno.test("one list takes block after block, and others than gauges are left out", () => {
  const into = new FoldedGauges();
  const runsOf = (times: Float64Array) => stepRuns("gauge", times, RANGE);
  const block = encodeBlock([level("5", [1, 2, 3], 10 * MINUTE)]);
  foldBlock(block, null, runsOf, into);
  foldBlock(block, null, runsOf, into);
  assert.deepEqual(into.seriesIds, ["5"]);
  const times = Float64Array.of(START + 10 * MINUTE);
  const counter = { kind: "counter", seriesId: "6", times, increases: times } as const;
  foldBlock(encodeBlock([counter]), null, runsOf, into);
  assert.deepEqual(into.seriesIds, []);
});
