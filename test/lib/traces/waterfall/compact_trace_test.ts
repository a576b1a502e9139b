import assert from "node:assert/strict";
import { traceModel } from "@/lib/traces/waterfall/trace_model.ts";
import { packTrace, unpackTrace } from "@/lib/traces/waterfall/compact_trace.ts";
import { deepTrace, largeTrace, orderTrace, span, trace } from "./traces.ts";

Deno.test("a trace survives the way to the browser, and is drawn alike on both ends", () => {
  for (const sent of [orderTrace(), largeTrace(500), deepTrace(50), trace([])]) {
    const got = unpackTrace(JSON.parse(JSON.stringify(packTrace(sent))));
    const { environment: _, release: __, ...first } = sent.spans[0] ?? {};
    if (sent.spans[0]) assert.deepEqual(got.spans[0], first);
    assert.deepEqual(traceModel(got).nodes.map(shape), traceModel(sent).nodes.map(shape));
    assert.equal(traceModel(got).marks.length, traceModel(sent).marks.length);
    assert.deepEqual(got.profiles, sent.profiles.map(({ types: _, ...profile }) => profile));
  }
});

Deno.test("nanoseconds survive the way, and rows are drawn by them", () => {
  const sent = trace([span("a", null, [0.000_001, 1]), span("b", "a", [0.000_002, 0.999_999])]);
  const got = unpackTrace(JSON.parse(JSON.stringify(packTrace(sent))));
  const times = (data: typeof got) => data.spans.map((one) => [one.startNanos, one.endNanos]);
  assert.deepEqual(times(got), times(sent));
  const [root, child] = traceModel(got).nodes;
  assert.deepEqual([root?.durationMs, child?.start], [0.999999, 0.000001]);
});

function shape(node: ReturnType<typeof traceModel>["nodes"][number]) {
  const { key, label, parent, start, end } = node;
  return { key, label, parent, start: start.toFixed(2), end: end.toFixed(2) };
}

Deno.test("texts are sent once, and long ones are cut", () => {
  const packed = packTrace(trace([
    span("a", null, [0, 1], { title: "x".repeat(5_000) }),
    span("b", "gone", [0, 1], { title: "work" }),
  ]));
  assert.equal(new Set(packed.texts).size, packed.texts.length);
  assert.equal(packed.texts[packed.spans[0]?.[4] ?? -1]?.length, 300);
  assert.equal(unpackTrace(packed).spans[1]?.parentSpanId, "gone");
});

Deno.test("10,000 spans are less than a megabyte", () => {
  assert.ok(JSON.stringify(packTrace(largeTrace(10_000))).length < 1_000_000);
});
