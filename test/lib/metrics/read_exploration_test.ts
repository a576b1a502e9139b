import assert from "node:assert/strict";
import type { MetricQuery } from "@/lib/metrics/query_types.ts";
import { type Exploration, explorationParams, readQueries } from "@/lib/metrics/exploration.ts";

const QUERY: MetricQuery = {
  id: "a",
  metric: "http.server.request.duration",
  kind: "histogram",
  unit: "s",
  aggregation: "p95",
  filter: [{ label: "route", operator: "=", value: "/cart" }],
  groupBy: ["host", "zone"],
  top: 5,
};

function read(text: string, prefix?: string) {
  return readQueries(new URLSearchParams(text), prefix);
}

Deno.test("an exploration is read as it was written", () => {
  const exploration: Exploration = {
    queries: [QUERY, { ...QUERY, id: "b", kind: null, unit: null, filter: [], top: 10 }],
    formulas: [{ id: "f1", expression: "a / b * 100", unit: "%" }],
    hidden: ["b"],
    view: "area",
    stepMs: 60_000,
    comparesPrevious: true,
  };
  const found = readQueries(new URLSearchParams(explorationParams(exploration)));
  const { drafts: _drafts, formulaDrafts: _formulas, problems, ...rest } = found;
  assert.deepEqual(rest, exploration);
  assert.deepEqual(problems, []);
});

Deno.test("a unit that is empty is not the same as none", () => {
  const [query] = read("a.metric=x&a.unit=&a.kind=gauge").queries;
  assert.equal(query?.unit, "");
  assert.equal(read("a.metric=x").queries[0]?.unit, null);
});

Deno.test("without anything there is an empty row and nothing is asked", () => {
  const { queries, drafts, problems } = read("");
  assert.deepEqual(queries, []);
  assert.deepEqual(drafts.map(({ id, metric }) => [id, metric]), [["a", ""]]);
  assert.deepEqual(problems, []);
});

Deno.test("a filter that cannot be read keeps its query out, stays in the form and is named", () => {
  const { queries, drafts, problems } = read("a.metric=x&a.filter=route%3D&b.metric=y");
  assert.deepEqual(queries.map(({ id }) => id), ["b"]);
  assert.equal(drafts[0]?.filter, "route=");
  assert.deepEqual(problems.map(({ field }) => field), ["a.filter"]);
});

Deno.test("impossible numbers and words are named and replaced by the usual", () => {
  const { queries, stepMs, view, problems } = read(
    "a.metric=x&a.top=-1&a.agg=median&step=1.5&view=pie&hide=z",
  );
  assert.equal(queries[0]?.top, 10);
  assert.equal(stepMs, null);
  assert.equal(view, "line");
  assert.deepEqual(problems.map(({ field }) => field).sort(), ["a.agg", "a.top", "step"]);
});

Deno.test("the buttons of the form add and remove rows", () => {
  const added = read("a.metric=x&c.metric=z&add=query");
  assert.deepEqual(added.drafts.map(({ id }) => id), ["a", "c", "b"]);
  assert.deepEqual(read("a.metric=x&b.metric=y&remove=a").queries.map(({ id }) => id), ["b"]);
  assert.deepEqual(read("a.metric=x&f1=a&add=formula").formulaDrafts.map(({ id }) => id), [
    "f1",
    "f2",
  ]);
  assert.deepEqual(read("a.metric=x&f1=a&remove=f1").formulas, []);
});

Deno.test("another metric in a row forgets kind, unit and aggregation of the one before", () => {
  const [same] = read("a.metric=x&a.of=x&a.kind=gauge&a.unit=By&a.agg=max").drafts;
  assert.deepEqual([same?.kind, same?.unit, same?.aggregation], ["gauge", "By", "max"]);
  const [other] = read("a.metric=y&a.of=x&a.kind=gauge&a.unit=By&a.agg=max").drafts;
  assert.deepEqual([other?.kind, other?.unit, other?.aggregation], [null, null, null]);
});

Deno.test("one of several metrics of a name is chosen by kind and unit", () => {
  const [query] = read("a.metric=x&a.as=counter%3ABy").queries;
  assert.deepEqual([query?.kind, query?.unit], ["counter", "By"]);
  assert.deepEqual(read("a.metric=x&a.as=").queries[0]?.kind, null);
});

Deno.test("labels to group by may stand in one field", () => {
  assert.deepEqual(read("a.metric=x&a.by=host,+zone&a.by=host").queries[0]?.groupBy, [
    "host",
    "zone",
  ]);
});

Deno.test("with a prefix only fields of that prefix are read", () => {
  const { queries, problems } = read("p.a.metric=x&p.a.top=0&a.metric=y", "p.");
  assert.deepEqual(queries.map(({ metric }) => metric), ["x"]);
  assert.deepEqual(problems.map(({ field }) => field), ["p.a.top"]);
});

Deno.test("there are at most ten queries", () => {
  const letters = [..."abcdefghijkl"];
  const { queries, problems } = read(letters.map((id) => `${id}.metric=x`).join("&"));
  assert.equal(queries.length, 10);
  assert.deepEqual(problems.map(({ field }) => field), ["k.metric"]);
});

Deno.test("the usual aggregation is that of the metric's kind", () => {
  assert.equal(read("a.metric=latency&a.kind=histogram").queries[0]?.aggregation, "p95");
  assert.equal(read("a.metric=latency_bucket&a.kind=counter").queries[0]?.aggregation, "rate");
});
