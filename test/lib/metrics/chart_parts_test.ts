import assert from "node:assert/strict";
import type { QueryResult, ResultSeries } from "@/lib/metrics/query_types.ts";
import { chartParts, chartSeries, type ChartView, partValue } from "@/lib/metrics/chart_parts.ts";

function series(queryId: string, host: string | null, isPrevious = false): ResultSeries {
  return {
    queryId,
    labels: host === null ? {} : { host },
    isPrevious,
    values: [1, null],
    figures: { min: 1, max: 1, avg: 1, last: 1 },
  };
}

function result(all: readonly ResultSeries[], units: Record<string, string>): QueryResult {
  return {
    times: [0, 60_000],
    stepMs: 60_000,
    series: all,
    facts: Object.entries(units).map(([id, unit]) => ({
      id,
      unit,
      kind: null,
      seriesCount: 1,
      groupCount: 1,
      addsUp: true,
    })),
    notes: [],
  };
}

Deno.test("every unit has a chart of its own, and multiples of one share it", () => {
  const answer = result([series("a", null), series("b", null), series("c", null)], {
    a: "s",
    b: "By",
    c: "ms",
  });
  const parts = chartParts(answer, null, {}, null);
  assert.deepEqual(
    parts.map(({ unit, drawn }) => [unit, drawn.map((one) => one.series.queryId)]),
    [["duration", ["a", "c"]], ["bytes", ["b"]]],
  );
  const [durations] = parts;
  assert.ok(durations);
  const drawn = durations.drawn.map((one) => chartSeries(one, durations, "line").values[0]);
  assert.deepEqual(drawn, [1000, 1], "in milliseconds both");
});

Deno.test("a series keeps its colour when another is hidden, and lends it to its past", () => {
  const answer = result(
    [series("a", "x"), series("a", "x", true), series("b", "x"), series("b", "y")],
    { a: "1", b: "1" },
  );
  const colors = (ids: readonly string[] | null) =>
    chartParts(answer, ids, {}, null)[0]?.drawn.map(({ color }) => color);
  assert.deepEqual(colors(null), [1, 1, 2, 3]);
  assert.deepEqual(colors(["b"]), [2, 3]);
});

Deno.test("labels are as short as they can be", () => {
  const labels = (answer: QueryResult) =>
    chartParts(answer, null, { a: "avg of x" }, null)[0]?.drawn.map(({ label }) => label);
  assert.deepEqual(labels(result([series("a", null)], { a: "1" })), ["avg of x"]);
  assert.deepEqual(labels(result([series("a", "h1"), series("a", "")], { a: "1" })), [
    "h1",
    "no host",
  ]);
  assert.deepEqual(
    labels(result([series("a", "h1"), series("b", null)], { a: "1", b: "1" })),
    ["a: h1", "b: b"],
  );
  assert.deepEqual(labels(result([series("a", "h1", true)], { a: "1" })), ["h1 (before)"]);
});

Deno.test("bars of several series are stacked, the past stays a dashed line", () => {
  const answer = result([series("a", "x"), series("a", "y"), series("a", "x", true)], { a: "1" });
  const [part] = chartParts(answer, null, {}, null);
  assert.ok(part);
  assert.deepEqual(
    part.drawn.map((one) => chartSeries(one, part, "bars")).map(({ kind, isDashed }) => [
      kind,
      isDashed,
    ]),
    [["stacked", false], ["stacked", false], ["line", true]],
  );
});

Deno.test("areas and bars of values that do not add up stand side by side: quantiles, means, ratios", () => {
  const all = result([series("a", "x"), series("a", "y"), series("a", "x", true)], { a: "1" });
  const answer = { ...all, facts: all.facts.map((fact) => ({ ...fact, addsUp: false })) };
  const [part] = chartParts(answer, null, {}, null);
  assert.ok(part);
  const kindsAs = (view: ChartView): unknown[] =>
    part.drawn.map((one) => chartSeries(one, part, view).kind);
  assert.deepEqual(kindsAs("area"), ["area", "area", "line"]);
  assert.deepEqual(kindsAs("bars"), ["bars", "bars", "line"]);
});

Deno.test("small rates are drawn by the minute, all of one axis alike", () => {
  const slow = { ...series("a", "x"), values: [0.05, 0.0001] };
  const [part] = chartParts(result([slow], { a: "{order}/s" }), null, {}, null);
  assert.ok(part);
  assert.equal(part.unit, "number:orders/min");
  assert.equal(partValue(0.0001, part), "0.006 orders/min");
});
