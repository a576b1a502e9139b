import assert from "node:assert/strict";
import {
  ancestorsOf,
  findSpans,
  foldedAtFirst,
  nextFound,
  rowOf,
  visibleRows,
} from "@/lib/traces/waterfall/waterfall_state.ts";
import { type TraceModel, traceModel } from "@/lib/traces/waterfall/trace_model.ts";
import { orderTrace, span, trace } from "./traces.ts";

function small() {
  return traceModel(trace([
    span("root", null, [0, 100]),
    span("a", "root", [10, 40], { title: "read cart", op: "db.query" }),
    span("b", "a", [12, 20], { title: "connect" }),
    span("c", "root", [50, 90], { title: "charge card", isFailed: true, status: "unavailable" }),
    span("d", "c", [60, 80], { title: "POST https://bank.example", service: "payments" }),
  ]));
}

function keys({ nodes }: TraceModel, indices: readonly number[]) {
  return indices.map((index) => nodes[index]?.key);
}

Deno.test("what is below a folded node has no row", () => {
  const model = small();
  assert.deepEqual(visibleRows(model, { collapsed: new Set([1]), only: null }), [0, 1, 3, 4]);
  assert.deepEqual(visibleRows(model, { collapsed: new Set([0, 1]), only: null }), [0]);
});

Deno.test("a filter keeps what is found and the way to it", () => {
  const model = small();
  const only = findSpans(model, "bank");
  assert.deepEqual(
    keys(model, visibleRows(model, { collapsed: new Set(), only })),
    ["root", "c", "d"],
  );
});

Deno.test("groups are folded at first, and everything above a node can be named", () => {
  const model = traceModel(orderTrace());
  const [group = -1] = foldedAtFirst(model);
  assert.equal(model.nodes[group]?.kind, "group");
  assert.deepEqual(
    keys(model, ancestorsOf(model, group)),
    ["c000000000000001", "b000000000000003", "b000000000000001"],
  );
});

Deno.test("a hidden node stands where the one that hides it does", () => {
  assert.equal(rowOf([0, 1, 3, 4], 3), 2);
  assert.equal(rowOf([0, 1, 3, 4], 2), 1);
  assert.equal(rowOf([0], 4), 0);
  assert.equal(rowOf([], 0), 0);
});

Deno.test("a search looks at name, operation, service, status and id, for all of its words", () => {
  const model = small();
  const found = (query: string) => keys(model, findSpans(model, query));
  assert.deepEqual(found("CART db.query"), ["a"]);
  assert.deepEqual(found("payments"), ["d"]);
  assert.deepEqual(found("unavail"), ["c"]);
  assert.deepEqual(found("is:failed"), ["c"]);
  assert.deepEqual(found("is:failed cart"), []);
  assert.deepEqual(found("  "), []);
  assert.equal(findSpans(traceModel(orderTrace()), "products").length, 12);
});

Deno.test("the next match comes after the last one again at the top", () => {
  assert.equal(nextFound([2, 5, 9], 5, 1), 9);
  assert.equal(nextFound([2, 5, 9], 9, 1), 2);
  assert.equal(nextFound([2, 5, 9], 2, -1), 9);
  assert.equal(nextFound([], 2, 1), null);
});
