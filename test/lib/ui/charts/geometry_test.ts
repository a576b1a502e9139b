import assert from "node:assert/strict";
import { areaPath, barsPath, linePath, seriesShapes } from "@/lib/ui/charts/plot_frame.tsx";
import type { ChartProps, ChartSeries } from "@/lib/ui/charts/chart_data.ts";

/** Buckets 10 wide; zero at 100, and one unit up for each. */
const PROJECTION = { x: (b: number) => b * 10, y: (v: number) => 100 - v, width: 10, thin: 2 };

function chart(...series: ChartSeries[]): ChartProps {
  return { id: "c", title: "C", unit: "count", times: [0, 10], bucketMs: 10, series };
}

Deno.test("a line goes through the middles of its buckets", () => {
  assert.equal(linePath([1, 2.25, 3], PROJECTION), "M5 99L15 97.8L25 97");
});

Deno.test("a gap breaks the line, and a value alone between gaps is a dash", () => {
  assert.equal(
    linePath([1, 2, null, 4, NaN, 6, 7], PROJECTION),
    "M5 99L15 98M32 96L38 96M55 94L65 93",
  );
  assert.equal(linePath([null, null], PROJECTION), "");
  assert.equal(linePath([], PROJECTION), "");
});

Deno.test("an area stands on zero, one piece for each stretch between gaps", () => {
  assert.equal(
    areaPath([1, 2, null, 4], PROJECTION),
    "M5 100L5 99L15 98L15 100ZM32 100L32 96L38 96L38 100Z",
  );
});

Deno.test("a bar fills most of its bucket, and a small one is high enough to be seen", () => {
  const spans = [{ from: 0, to: 50 }, null, { from: 0, to: 0 }, { from: 0, to: 0.1 }];
  assert.equal(barsPath(spans, PROJECTION), "M0.8 100h8.4v-50h-8.4ZM30.8 100h8.4v-2h-8.4Z");
});

Deno.test("negative bars hang down from zero", () => {
  assert.equal(barsPath([{ from: 0, to: -5 }], PROJECTION), "M0.8 100h8.4v5h-8.4Z");
});

Deno.test("stacked series stand upon each other, also across a gap", () => {
  const [first, second, third] = seriesShapes(
    chart(
      { label: "a", kind: "stacked", values: [10, 10] },
      { label: "b", kind: "stacked", values: [null, 20] },
      { label: "c", kind: "stacked", values: [5, 5] },
    ),
    PROJECTION,
  );
  assert.equal(first?.filling, "M0.8 100h8.4v-10h-8.4ZM10.8 100h8.4v-10h-8.4Z");
  assert.equal(second?.filling, "M10.8 90h8.4v-20h-8.4Z");
  assert.equal(third?.filling, "M0.8 90h8.4v-5h-8.4ZM10.8 70h8.4v-5h-8.4Z");
});

Deno.test("bars of several series stand side by side", () => {
  const [first, second] = seriesShapes(
    chart({ label: "a", kind: "bars", values: [10] }, { label: "b", kind: "bars", values: [20] }),
    PROJECTION,
  );
  assert.equal(first?.filling, "M0.8 100h4.2v-10h-4.2Z");
  assert.equal(second?.filling, "M5 100h4.2v-20h-4.2Z");
});

Deno.test("stacked areas lie upon each other, broken where one has a gap", () => {
  const [first, second] = seriesShapes(
    chart(
      { label: "a", kind: "stacked-area", values: [10, 20] },
      { label: "b", kind: "stacked-area", values: [5, null] },
    ),
    PROJECTION,
  );
  assert.equal(first?.line, "M5 90L15 80");
  assert.equal(first?.filling, "M5 90L15 80L15 100L5 100Z");
  assert.equal(second?.line, "M2 85L8 85");
  assert.equal(second?.filling, "M2 85L8 85L8 90L2 90Z");
});
