import assert from "node:assert/strict";
import type { TraceSpan } from "@/lib/traces/trace_types.ts";
import { traceModel } from "@/lib/traces/waterfall/trace_model.ts";
import { orderTrace, span, trace } from "./traces.ts";

const A = { service: "a" };
const B = { service: "b" };

function placed(...spans: TraceSpan[]) {
  const { nodes, notes } = traceModel(trace(spans));
  const times = Object.fromEntries(nodes.map(({ key, start, end }) => [key, [start, end]]));
  return { times, moved: notes.movedSpans };
}

Deno.test("a call that another machine dates outside of its caller is drawn in its middle, with all below", () => {
  const { times, moved } = placed(
    span("call", null, [0, 100], A),
    span("answer", "call", [5_000, 5_080], B),
    span("query", "answer", [5_010, 5_020], B),
  );
  assert.deepEqual(times, { call: [0, 100], answer: [10, 90], query: [20, 30] });
  assert.equal(moved, 1);
});

Deno.test("a call that fits, or is longer than its caller waited, stays where it is", () => {
  const fits = placed(span("call", null, [0, 100], A), span("answer", "call", [20, 90], B));
  assert.deepEqual(fits.times.answer, [20, 90]);
  const longer = placed(span("call", null, [0, 100], A), span("answer", "call", [20, 300], B));
  assert.deepEqual(longer.times.answer, [20, 300]);
  assert.equal(fits.moved + longer.moved, 0);
});

Deno.test("a longer call that began before its caller is moved to its start", () => {
  const { times } = placed(span("call", null, [0, 100], A), span("answer", "call", [-40, 90], B));
  assert.deepEqual(times.answer, [0, 130]);
});

Deno.test("work of the same service, messages and pages in a browser are never moved", () => {
  const same = placed(span("root", null, [0, 100], A), span("after", "root", [150, 160], A));
  assert.deepEqual(same.times.after, [150, 160]);
  const queue = placed(
    span("send", null, [0, 10], { ...A, kind: "producer" }),
    span("read", "send", [500, 505], { ...B, kind: "consumer" }),
  );
  assert.deepEqual(queue.times.read, [500, 505]);
  const browser = placed(
    span("server", null, [50, 80], A),
    span("page", "server", [0, 20], { ...B, op: "pageload" }),
  );
  assert.deepEqual(browser.times.page, [0, 20]);
  assert.equal(same.moved + queue.moved + browser.moved, 0);
});

Deno.test("a third service is measured against where the second one is drawn, by its own clock", () => {
  const { nodes, byKey, marks, durationMs } = traceModel(orderTrace());
  const at = (key: string) => nodes[byKey.get(key) ?? -1];
  assert.equal(at("c000000000000001")?.start, 242.5);
  assert.equal(at("d000000000000001")?.start, 668);
  assert.equal(at("d000000000000001")?.shift, 0);
  assert.equal(durationMs, 2_600);
  const error = marks.find(({ kind }) => kind === "error");
  assert.equal(error?.time, 5_632 - 4_002.5, "errors move with their span");
});
