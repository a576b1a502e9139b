import assert from "node:assert/strict";
import type { TraceSpan } from "@/lib/traces/trace_types.ts";
import { traceModel } from "@/lib/traces/waterfall/trace_model.ts";
import { span, trace } from "./traces.ts";

function lit(...spans: TraceSpan[]): Record<string, number[][]> {
  const { nodes } = traceModel(trace(spans));
  return Object.fromEntries(nodes.map(({ key, critical }) => [
    key,
    critical.map(({ start, end }) => [start, end]).toSorted(([a = 0], [b = 0]) => a - b),
  ]));
}

Deno.test("the critical path goes through the child that ended last, then the one before it", () => {
  assert.deepEqual(
    lit(
      span("root", null, [0, 100]),
      span("first", "root", [10, 40]),
      span("beside", "root", [15, 35]),
      span("last", "root", [50, 90]),
      span("inner", "last", [60, 90]),
    ),
    {
      root: [[0, 10], [40, 50], [90, 100]],
      first: [[10, 40]],
      beside: [],
      last: [[50, 60]],
      inner: [[60, 90]],
    },
  );
});

Deno.test("what ends after its parent counts up to the parent's end, what begins after it not at all", () => {
  assert.deepEqual(
    lit(
      span("root", null, [0, 100]),
      span("over", "root", [80, 150]),
      span("deep", "over", [120, 140]),
      span("after", "root", [110, 200]),
    ),
    { root: [[0, 80]], over: [[80, 100]], deep: [], after: [] },
  );
});

Deno.test("the path covers the root's time exactly once", () => {
  const spans = Array.from({ length: 200 }, (_, index) => {
    const start = index * 7 % 90;
    return span(`s${index}`, index === 0 ? null : `s${Math.floor(index / 3)}`, [
      index === 0 ? 0 : start,
      index === 0 ? 100 : start + index * 13 % 40,
    ]);
  });
  const sum = Object.values(lit(...spans)).flat()
    .reduce((total, [start = 0, end = 0]) => total + end - start, 0);
  assert.ok(Math.abs(sum - 100) < 1e-6, String(sum));
});
