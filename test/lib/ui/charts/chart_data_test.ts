import assert from "node:assert/strict";
import {
  type ChartProps,
  isEmpty,
  summarize,
  timeSpan,
  visibleMarkers,
} from "@/lib/ui/charts/chart_data.ts";
import { packChart, unpackChart } from "@/lib/ui/charts/packed_chart.ts";
import { valueRange } from "@/lib/ui/charts/axis.ts";

const START = Date.UTC(2026, 10, 21);
const CHART: ChartProps = {
  id: "c",
  title: "Duration",
  unit: "duration",
  times: [START, START + 60_000, START + 120_000],
  bucketMs: 60_000,
  series: [{ label: "p50", values: [1.5, null, 300], color: "danger" }],
  markers: [{ at: START + 1, label: "in it" }, { at: START + 180_000, label: "after it" }],
};

function chart(changes: Partial<ChartProps>): ChartProps {
  return { ...CHART, ...changes };
}

Deno.test("a chart comes out of its packed form as it went in, without what is out of sight", () => {
  assert.deepEqual(unpackChart(packChart(CHART)), chart({ markers: visibleMarkers(CHART) }));
  const none = chart({ times: [], series: [{ label: "a", values: [] }], markers: [] });
  assert.deepEqual(unpackChart(packChart(none)), none);
});

Deno.test("packing keeps six digits and turns what is no number into a gap", () => {
  const packed = packChart(chart({ series: [{ label: "a", values: [1 / 3, NaN, 1234567] }] }));
  assert.equal(packed.series[0]?.values, "0.333333,,1234570");
});

Deno.test("a chart reaches to the end of its last bucket", () => {
  assert.deepEqual(timeSpan(CHART), { start: START, end: START + 180_000 });
  assert.deepEqual(visibleMarkers(CHART).map(({ label }) => label), ["in it"]);
});

Deno.test("zeros are data, gaps are none", () => {
  assert.equal(isEmpty(chart({ series: [{ label: "a", values: [0, null] }] })), false);
  assert.equal(isEmpty(chart({ series: [{ label: "a", values: [null, Infinity] }] })), true);
  assert.equal(isEmpty(chart({ series: [] })), true);
});

Deno.test("a chart is as high as its stacks and its threshold", () => {
  const stacked = ["a", "b"].map((label) => ({ label, kind: "stacked" as const, values: [100] }));
  assert.equal(valueRange(chart({ series: stacked })).high, 212);
  const threshold = { value: 1000, label: "alert" };
  assert.ok(valueRange(chart({ series: stacked, threshold })).high > 1000);
  assert.ok(valueRange(chart({ series: stacked, goal: threshold })).high >= 1000);
  assert.equal(valueRange(chart({ series: [{ label: "a", values: [-100, 10] }] })).low, -106);
});

Deno.test("a share never reaches above all, and zeros alone have a scale too", () => {
  const shares = (values: number[]) => chart({ unit: "percent", series: [{ label: "a", values }] });
  assert.equal(valueRange(shares([0.5, 0.99])).high, 1);
  assert.equal(valueRange(shares([0])).high, 0.01);
  assert.equal(valueRange(chart({ series: [{ label: "a", values: [0] }] })).high, 1);
});

Deno.test("counts are summed up by their total, all else by the last value there is", () => {
  assert.deepEqual(summarize([1, null, 3], "count"), { word: "total", main: 4, average: 2 });
  assert.deepEqual(summarize([1, 3, null], "rate"), { word: "last", main: 3, average: 2 });
  assert.deepEqual(summarize([null], "count"), { word: "total", main: null, average: null });
});
