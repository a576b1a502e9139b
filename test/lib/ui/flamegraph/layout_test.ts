import assert from "node:assert/strict";
import { type FlameTree, flameTree } from "@/lib/ui/flamegraph/flame_tree.ts";
import {
  drawLevel,
  layoutOf,
  levelSize,
  nodeAtPlace,
  pannedBy,
  viewOf,
  wholeView,
  zoomedAt,
} from "@/lib/ui/flamegraph/layout.ts";
import { chart } from "./graphs.ts";
import { largeTree, smallData, wholePayload } from "./trees.ts";

const nameAt = ({ frames, nodeFrames }: FlameTree, node: number | null) =>
  node === null ? null : frames.names[nodeFrames[node] ?? 0];

Deno.test("children stand side by side below their caller, what it spent itself at the right", () => {
  const layout = layoutOf(flameTree(smallData({ a: { self: 2, b: 5, c: { d: 3 } } })));
  assert.deepEqual([...layout.lefts], [0, 0, 0, 5, 5]);
  assert.deepEqual([...layout.widths], [10, 10, 5, 3, 3]);
  assert.deepEqual([0, 1, 2, 3, 4].map((level) => levelSize(layout, level)), [1, 1, 2, 1, 0]);
});

Deno.test("a place belongs to the box that covers it, or to none", () => {
  const layout = layoutOf(flameTree(smallData({ a: { self: 2, b: 5, c: { d: 3 } } })));
  const at = (level: number, x: number) => nameAt(layout.tree, nodeAtPlace(layout, level, x));
  assert.deepEqual([at(2, 0), at(2, 4.9), at(2, 5), at(2, 7.9), at(2, 8), at(2, -1)], [
    "b",
    "b",
    "c",
    "c",
    null,
    null,
  ]);
  assert.deepEqual([at(3, 4), at(3, 6), at(4, 6), at(-1, 6)], [null, "d", null, null]);
});

Deno.test("every box of a large tree is found at its middle and lies within its caller", () => {
  const layout = layoutOf(flameTree(wholePayload(largeTree(5_000))));
  const { tree, lefts, widths } = layout;
  for (let node = 1; node < tree.size; node++) {
    const [left = 0, width = 0] = [lefts[node], widths[node]];
    const parent = tree.parents[node] ?? 0;
    assert.equal(nodeAtPlace(layout, tree.depths[node] ?? 0, left + width / 2), node);
    assert.ok(left >= (lefts[parent] ?? 0));
    assert.ok(left + width <= (lefts[parent] ?? 0) + (widths[parent] ?? 0));
  }
});

Deno.test("values below zero count by their size, and boxes hold what is in them", () => {
  const layout = layoutOf(flameTree(smallData({ a: { self: -4, b: 6 }, c: -2 })));
  assert.deepEqual([...layout.widths], [12, 10, 6, 2]);
  assert.equal(layout.extent, 12);
});

Deno.test("in a comparison boxes are as wide as both sides together", () => {
  const layout = layoutOf(flameTree(smallData({ a: 4, b: 1 }, { a: 1, gone: 3 })));
  assert.deepEqual([...layout.widths], [9, 5, 1, 3]);
});

Deno.test("in order of time boxes stand where they began", () => {
  const layout = layoutOf(flameTree(chart("1")));
  assert.deepEqual([...layout.lefts], [0, 0, 0, 30, 60, 60].map((ms) => ms * 1e6));
  assert.equal(nodeAtPlace(layout, 1, 55e6), null);
  assert.equal(nameAt(layout.tree, nodeAtPlace(layout, 1, 61e6)), "main");
});

Deno.test("runs of boxes narrower than a pixel are one; what nobody could see is left out", () => {
  const crowd = Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`f${index}`, 1]));
  const layout = layoutOf(
    flameTree(smallData({ wide: 1_000, crowd, lone: { self: 1_999, x: 1 } })),
  );
  const drawn: [number, number, boolean][] = [];
  const collect = (level: number) => {
    drawn.length = 0;
    drawLevel(layout, level, wholeView(layout), 400, (_, x, width, isRun) => {
      drawn.push([Math.round(x), Math.round(width), isRun]);
    });
    return drawn;
  };
  assert.deepEqual(collect(1), [[0, 100, false], [100, 100, false], [200, 200, false]]);
  assert.deepEqual(collect(2), [[100, 100, true]]);
});

Deno.test("boxes are cut at the edges of the view, and those beyond are not drawn", () => {
  const layout = layoutOf(flameTree(smallData({ a: 10, b: 10, c: 10, d: 10 })));
  const drawn: number[][] = [];
  drawLevel(layout, 1, { start: 15, end: 25 }, 100, (_, x, width) => drawn.push([x, width]));
  assert.deepEqual(drawn, [[0, 50], [50, 50]]);
});

Deno.test("zooming keeps the place under the pointer and never leaves the graph", () => {
  const layout = layoutOf(flameTree(smallData({ a: 60, b: 40 })));
  const whole = wholeView(layout);
  const close = zoomedAt(layout, whole, 0.5, 0.5);
  assert.deepEqual(close, { start: 25, end: 75 });
  assert.deepEqual(pannedBy(layout, close, 2), { start: 50, end: 100 });
  assert.deepEqual(pannedBy(layout, close, -2), { start: 0, end: 50 });
  assert.deepEqual(zoomedAt(layout, close, 10, 0.9), whole);
  assert.deepEqual(viewOf(layout, 2), { start: 60, end: 100 });
});
