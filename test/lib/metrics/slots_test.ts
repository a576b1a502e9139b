import assert from "node:assert/strict";
import type { RawNumbers } from "@/lib/metrics/points.ts";
import { mergeRaw } from "@/lib/metrics/slots.ts";
import type { Temporality } from "@/lib/records/mod.ts";

const column = (...values: number[]) => Float64Array.from(values);

function numbers(
  times: Float64Array,
  starts: Float64Array,
  values: readonly number[],
  temporality: Temporality,
): RawNumbers {
  return {
    shape: "number",
    seriesId: "1",
    temporality,
    times,
    starts,
    values: column(...values),
  };
}

/** Time, start and value of each point. */
function pointsOf({ times, starts, values }: RawNumbers): string {
  return Array.from(times, (time, place) => `${time}:${starts[place]}=${values[place]}`).join(" ");
}

Deno.test("points out of order are put in order, also of series that share times or starts with the one before", () => {
  const times = column(30, 10, 20, 10);
  const [starts, others] = [column(3, 1, 2, 1), column(7, 5, 6, 5)];
  const merged = (startsOf: Float64Array, values: number[], temporality: Temporality) => {
    const series = mergeRaw([numbers(times, startsOf, values, temporality)]);
    assert.equal(series.shape, "number");
    return pointsOf(series as RawNumbers);
  };
  assert.equal(merged(starts, [1, 2, 3, 4], "cumulative"), "10:1=4 20:2=3 30:3=1");
  assert.equal(merged(starts, [5, 6, 7, 8], "cumulative"), "10:1=8 20:2=7 30:3=5");
  assert.equal(merged(others, [5, 6, 7, 8], "cumulative"), "10:5=8 20:6=7 30:7=5");
  assert.equal(merged(others, [5, 6, 7, 8], "observed"), "10:5=6 10:5=8 20:6=7 30:7=5");
  const ordered = numbers(column(10, 20), column(1, 1), [1, 2], "cumulative");
  assert.equal(mergeRaw([ordered]), ordered);
});
