import assert from "node:assert/strict";
import fc from "fast-check";
import type { TraceSpan } from "@/lib/traces/trace_types.ts";
import { failedWithin, traceModel } from "@/lib/traces/waterfall/trace_model.ts";
import { deepTrace, idOf, largeTrace, orderTrace, span, trace } from "./traces.ts";
import { inTime } from "@/test/support/time_budget.ts";

/** The tree as text: two blanks a level, keys. */
function drawn(spans: readonly TraceSpan[]): string[] {
  return traceModel(trace(spans)).nodes.map(({ key, depth }) => "  ".repeat(depth) + key);
}

Deno.test("spans hang under their parents, in the order in which they began", () => {
  const spans = [
    span("root", null, [0, 100]),
    span("late", "root", [50, 60]),
    span("early", "root", [10, 40]),
    span("inner", "early", [12, 20]),
  ];
  assert.deepEqual(drawn(spans), ["root", "  early", "    inner", "  late"]);
});

Deno.test("spans whose parent is not there hang under one node that says so", () => {
  const spans = [
    span("root", null, [0, 100]),
    span("a", "gone", [10, 30]),
    span("b", "gone", [20, 50]),
    span("c", "other", [60, 70]),
  ];
  assert.deepEqual(drawn(spans), ["root", "missing-gone", "  a", "  b", "missing-other", "  c"]);
  const { nodes, notes, root } = traceModel(trace(spans));
  assert.equal(nodes[1]?.label, "missing parent gone");
  assert.deepEqual([nodes[1]?.start, nodes[1]?.end, nodes[1]?.selfMs], [10, 50, null]);
  assert.equal(root?.key, "root");
  assert.equal(notes.missingParents, 2);
  assert.equal(notes.isRootMissing, false);
});

Deno.test("a trace without its root says so, and a trace may have several roots", () => {
  const orphan = traceModel(trace([span("a", "gone", [0, 10])]));
  assert.equal(orphan.notes.isRootMissing, true);
  assert.equal(orphan.root?.kind, "missing");
  const two = traceModel(trace([span("a", null, [0, 10]), span("b", null, [20, 30])]));
  assert.equal(two.notes.roots, 2);
  assert.equal(two.root?.key, "a");
  assert.equal(two.durationMs, 30);
});

Deno.test("spans that are their own ancestors lose one parent, and everything has a row", () => {
  const ring = [
    span("root", null, [0, 100]),
    span("self", "self", [1, 2]),
    span("a", "c", [10, 20]),
    span("b", "a", [11, 20]),
    span("c", "b", [12, 20]),
    span("below", "c", [13, 14]),
  ];
  assert.deepEqual(drawn(ring), ["root", "self", "a", "  b", "    c", "      below"]);
  assert.equal(traceModel(trace(ring)).notes.ringsCut, 2);
});

Deno.test("self time is what no child covers, however children overlap or overhang", () => {
  const { nodes, byKey } = traceModel(trace([
    span("root", null, [0, 100]),
    span("a", "root", [10, 40]),
    span("b", "root", [30, 50]),
    span("within", "root", [32, 38]),
    span("overhang", "root", [90, 130]),
    span("before", "root", [-20, 5]),
  ]));
  assert.equal(nodes[byKey.get("root") ?? -1]?.selfMs, 45);
  assert.equal(nodes[byKey.get("overhang") ?? -1]?.selfMs, 40);
});

Deno.test("an empty trace and a trace without any duration have a model", () => {
  const empty = traceModel(trace([]));
  assert.deepEqual([empty.nodes.length, empty.durationMs, empty.root], [0, 0, null]);
  const { nodes, durationMs } = traceModel(
    trace([span("a", null, [5, 5]), span("b", "a", [5, 5])]),
  );
  assert.deepEqual([durationMs, nodes[0]?.selfMs, nodes.length], [0, 0, 2]);
});

Deno.test("failed spans are counted with everything below a node", () => {
  const failed = { isFailed: true, status: "internal_error" };
  const model = traceModel(trace([
    span("root", null, [0, 100]),
    span("a", "root", [0, 50], failed),
    span("b", "a", [0, 20], failed),
    span("c", "root", [60, 70]),
  ]));
  assert.deepEqual(model.nodes.map((_, index) => failedWithin(model, index)), [2, 2, 1, 0]);
});

Deno.test("services and categories come with their spans, failures and self time", () => {
  const { services, categories } = traceModel(orderTrace());
  assert.deepEqual(services.map(({ label, colour }) => [label, colour]), [
    ["storefront", 1],
    ["checkout", 2],
    ["stock", 3],
    ["mailer", 4],
  ]);
  assert.deepEqual(services.map(({ spans, failed }) => [spans, failed]), [[3, 0], [17, 3], [3, 0], [
    2,
    0,
  ]]);
  assert.equal(categories.at(-1)?.label, "own code");
  assert.equal(categories.at(-1)?.colour, 8);
});

Deno.test("10,000 spans, wide or nested 10,000 deep, take less than 100 ms", () => {
  const shapes = { mixed: largeTrace(10_000), deep: deepTrace(10_000), wide: wideTrace(10_000) };
  for (const [name, large] of Object.entries(shapes)) {
    assert.equal(inTime(100, () => traceModel(large), name).spanCount, 10_000);
  }
});

function wideTrace(spans: number) {
  return trace(
    Array.from(
      { length: spans },
      (_, index) =>
        span(idOf(index), index === 0 ? null : idOf(0), [index, index + 3], {
          title: `GET /items/${index}`,
        }),
    ),
  );
}

Deno.test("whatever is sent, each span has one row, below its parent, with times that make sense", () => {
  const anySpan = fc.record({
    id: fc.integer({ min: 0, max: 12 }),
    parent: fc.option(fc.integer({ min: 0, max: 15 })),
    start: fc.integer({ min: -50, max: 50 }),
    length: fc.integer({ min: 0, max: 60 }),
    service: fc.constantFrom("a", "b"),
  });
  fc.assert(fc.property(fc.array(anySpan, { maxLength: 30 }), (made) => {
    const spans = made.map(({ id, parent, start, length, service }) =>
      span(`s${id}`, parent === null ? null : `s${parent}`, [start, start + length], { service })
    );
    const { nodes, durationMs } = traceModel(trace(spans));
    assert.equal(nodes.filter(({ kind }) => kind === "span").length, spans.length);
    for (const [index, node] of nodes.entries()) {
      assert.ok(node.parent < index && node.depth >= 0);
      const above = nodes[node.parent];
      if (above) assert.ok(index < node.parent + above.size && node.depth === above.depth + 1);
      assert.ok(node.start >= 0 && node.end <= durationMs && node.start <= node.end);
      if (node.kind === "span") {
        assert.ok((node.selfMs ?? -1) >= 0 && (node.selfMs ?? 0) <= node.durationMs + 1e-6);
      }
      const lit = node.critical.reduce((sum, { start, end }) => sum + end - start, 0);
      assert.ok(lit <= durationMs + 1e-6);
    }
  }));
});
