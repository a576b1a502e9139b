import assert from "node:assert/strict";
import { SIMILAR_FROM, titlePattern } from "@/lib/traces/waterfall/span_tree.ts";
import { traceModel } from "@/lib/traces/waterfall/trace_model.ts";
import { span, trace } from "./traces.ts";

function siblings(count: number, title: (index: number) => string) {
  return Array.from(
    { length: count },
    (_, index) =>
      span(`s${index}`, "root", [index * 10, index * 10 + 4], { title: title(index), op: "db" }),
  );
}

Deno.test("five siblings that do the same share a row in the place of the first", () => {
  const { nodes } = traceModel(trace([
    span("root", null, [0, 100]),
    ...siblings(SIMILAR_FROM, () => "SELECT 1"),
    span("between", "root", [15, 16], { op: "other" }),
  ]));
  assert.deepEqual(nodes.map(({ key }) => key).slice(0, 4), ["root", "group-s0", "s0", "s1"]);
  assert.equal(nodes.at(-1)?.key, "between");
  const [, group] = nodes;
  assert.equal(group?.label, "5 × SELECT 1");
  assert.deepEqual([group?.start, group?.end, group?.durationMs, group?.selfMs], [0, 44, 20, 20]);
});

Deno.test("four do not, nor five of several services", () => {
  const few = traceModel(trace([span("root", null, [0, 99]), ...siblings(4, () => "SELECT 1")]));
  assert.equal(few.nodes.length, 5);
  const mixed = siblings(5, () => "SELECT 1").map((each, index) => ({
    ...each,
    service: `s${index % 2}`,
  }));
  const model = traceModel(trace([span("root", null, [0, 99]), ...mixed]));
  assert.ok(model.nodes.every(({ kind }) => kind === "span"));
});

Deno.test("names that differ in numbers, ids and quoted texts are alike", () => {
  assert.equal(titlePattern("GET /users/7/orders/31"), "GET /users/*/orders/*");
  assert.equal(titlePattern("select * from t where a = 'x y'"), "select * from t where a = *");
  assert.equal(titlePattern("job 5f2a1c3d-4e5f-6071-8293-a4b5c6d7e8f9"), "job *");
  assert.equal(titlePattern("a IN (1, 2, 3)"), titlePattern("a IN (4)"));
  assert.notEqual(titlePattern("GET /v1/a"), titlePattern("GET /v1/b"));
  const { nodes } = traceModel(
    trace([span("root", null, [0, 99]), ...siblings(6, (index) => `GET /item/${index}`)]),
  );
  assert.equal(nodes[1]?.label, "6 × GET /item/*");
});
