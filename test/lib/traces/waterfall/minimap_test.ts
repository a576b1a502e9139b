import assert from "node:assert/strict";
import { minimapBins } from "@/lib/traces/waterfall/waterfall_head.tsx";
import { coveredByChildren, percentOf, traceModel } from "@/lib/traces/waterfall/trace_model.ts";
import { span, trace } from "./traces.ts";

Deno.test("the minimap counts the spans at work in each part of the time, by colour", () => {
  const model = traceModel(trace([
    span("root", null, [0, 100]),
    span("a", "root", [0, 45], { service: "b" }),
    span("b", "root", [50, 74], { service: "b", isFailed: true }),
  ]));
  const { counts, most, failed } = minimapBins(
    model,
    4,
    ({ span }) => span?.service === "b" ? 2 : 1,
  );
  assert.deepEqual([...counts[0] ?? []], [1, 1, 1, 1]);
  assert.deepEqual([...counts[1] ?? []], [1, 1, 1, 0]);
  assert.equal(most, 2);
  assert.deepEqual(failed, [2]);
});

Deno.test("a trace without duration is all in the first part", () => {
  const { counts } = minimapBins(traceModel(trace([span("a", null, [0, 0])])), 4, () => 1);
  assert.deepEqual([...counts[0] ?? []], [1, 0, 0, 0]);
});

Deno.test("places are percent of what is shown, and never far outside of it", () => {
  assert.equal(percentOf(150, { start: 100, end: 200 }), 50);
  assert.equal(percentOf(1e12, { start: 0, end: 0.01 }), 105);
  assert.equal(percentOf(-1e12, { start: 0, end: 0.01 }), -5);
});

Deno.test("a group's bar has gaps where there is room to see them", () => {
  const spans = Array.from(
    { length: 6 },
    (_, index) => span(`s${index}`, "root", [index * 10, index * 10 + 4], { title: "x" }),
  );
  const model = traceModel(trace([span("root", null, [0, 60]), ...spans]));
  assert.equal(coveredByChildren(model, 1, { start: 0, end: 60 }).length, 6);
  assert.deepEqual(coveredByChildren(model, 1, { start: 0, end: 10_000 }), [{ start: 0, end: 54 }]);
  assert.equal(coveredByChildren(model, 1, { start: 12, end: 33 }).length, 3);
});
