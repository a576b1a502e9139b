import assert from "node:assert/strict";
import { traceModel } from "@/lib/traces/waterfall/trace_model.ts";
import {
  firstState,
  foldAll,
  type Key,
  pressed,
  rowsOf,
  search,
  toggle,
  type WaterfallState,
  zoomBy,
  zoomTo,
} from "@/lib/traces/waterfall/waterfall_state.ts";
import { orderTrace, span, trace } from "./traces.ts";

const model = traceModel(orderTrace());
const GROUP = "group-c000000000000100";
const MEMBER = "c000000000000100";

function press(state: WaterfallState, ...keys: (string | Key)[]): WaterfallState {
  return keys.reduce(
    (at, key) =>
      pressed(typeof key === "string" ? { key, shiftKey: false } : key, model, at, 10) ?? at,
    state,
  );
}

const activeKey = (state: WaterfallState) => model.nodes[state.active]?.key;

Deno.test("an address that names a span opens its panel and whatever hides its row", () => {
  const state = firstState(model, MEMBER, false);
  assert.equal(model.nodes[state.opened ?? -1]?.key, MEMBER);
  assert.equal(state.collapsed.size, 0);
  assert.equal(firstState(model, "unknown", false).opened, null);
  const rows = rowsOf(model, firstState(model, null, false)).length;
  assert.equal(rowsOf(model, firstState(model, null, true)).length, rows + 12);
});

Deno.test("arrows walk the tree: into what is folded, out to the parent, never off its ends", () => {
  const start = firstState(model, null, false);
  assert.equal(activeKey(press(start, "ArrowUp")), "b000000000000001");
  const atGroup = press(start, ...Array(5).fill("ArrowDown"));
  assert.equal(activeKey(atGroup), GROUP);
  const unfolded = press(atGroup, "ArrowRight");
  assert.equal(activeKey(unfolded), GROUP);
  const inside = press(unfolded, "ArrowRight");
  assert.equal(activeKey(inside), MEMBER);
  assert.equal(activeKey(press(inside, "ArrowRight")), MEMBER, "a leaf has no inside");
  assert.equal(activeKey(press(inside, "ArrowLeft")), GROUP);
  assert.equal(activeKey(press(inside, "ArrowLeft", "ArrowLeft", "ArrowLeft")), "c000000000000001");
  assert.equal(activeKey(press(start, "End")), "f000000000000002");
  assert.equal(activeKey(press(start, "End", "Home")), "b000000000000001");
});

Deno.test("Enter opens the panel and Escape closes it; other keys are left to the browser", () => {
  const opened = press(firstState(model, null, false), "ArrowDown", "Enter");
  assert.equal(opened.opened, opened.active);
  assert.equal(press(opened, "Escape").opened, null);
  const key = { shiftKey: false };
  assert.equal(pressed({ ...key, key: "Escape" }, model, press(opened, "Escape"), 10), null);
  assert.equal(pressed({ ...key, key: "q" }, model, opened, 10), null);
});

Deno.test("folding what holds the keyboard takes the keyboard to the fold", () => {
  const state = { ...firstState(model, MEMBER, false) };
  const parent = model.byKey.get("c000000000000001") ?? -1;
  assert.equal(toggle(model, state, parent).active, parent);
  assert.equal(foldAll(model, state, true).active, 0);
  assert.equal(rowsOf(model, foldAll(model, state, true)).length, 2);
  assert.equal(rowsOf(model, foldAll(model, state, false)).length, model.nodes.length);
});

Deno.test("a search goes to the first match and unfolds the way; n and N go round", () => {
  const found = search(model, firstState(model, null, false), "products");
  assert.equal(activeKey(found), MEMBER);
  const last = press(found, "N");
  assert.equal(activeKey(last), "c00000000000010b");
  assert.equal(activeKey(press(last, "n")), MEMBER);
  const only = { ...found, showsOnlyFound: true };
  assert.equal(rowsOf(model, only).length, 3 + 1 + 12);
  const none = search(model, only, "nothing like it");
  assert.deepEqual(none.found, []);
  assert.ok(rowsOf(model, none).length > 16, "nothing found hides nothing");
});

Deno.test("zoom stays within the trace, ends before nothing is left, and comes back", () => {
  const start = firstState(model, null, false);
  assert.deepEqual(zoomTo(model, start, { start: 900, end: 300 }).view, { start: 300, end: 900 });
  assert.deepEqual(zoomTo(model, start, { start: -50, end: 100 }).view, { start: 0, end: 150 });
  const close = Array(60).fill(0).reduce<WaterfallState>((at) => zoomBy(model, at, 0.5), start);
  assert.ok(close.view.end - close.view.start >= 0.0099);
  assert.deepEqual(press(close, "0").view, { start: 0, end: 2_600 });
  assert.deepEqual(press(start, "-").view, { start: 0, end: 2_600 });
  const half = zoomTo(model, start, { start: 0, end: 1_000 });
  assert.deepEqual(press(half, { key: "ArrowRight", shiftKey: true }).view, {
    start: 250,
    end: 1_250,
  });
});

Deno.test("a trace without duration can be zoomed without harm", () => {
  const point = traceModel(trace([span("a", null, [0, 0])]));
  const { view } = zoomBy(point, firstState(point, null, false), 0.5);
  assert.ok(view.end > view.start);
});
