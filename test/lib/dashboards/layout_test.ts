import assert from "node:assert/strict";
import fc from "fast-check";
import type { Place } from "@/lib/dashboards/content.ts";
import {
  freePlace,
  movePanel,
  MOVES,
  type Placed,
  placePanel,
  resizePanel,
  RESIZES,
  settle,
} from "@/lib/dashboards/layout.ts";
import { place } from "./panels.ts";

/** `{ a: [x, y, w, h] }` as panels. */
function panels(places: Record<string, [number, number, number, number]>): Placed[] {
  return Object.entries(places).map(([id, [x, y, w, h]]) => ({ id, place: place(x, y, w, h) }));
}

function written(placed: readonly Placed[]): string[] {
  return placed.map(({ id, place: { x, y, w, h } }) => `${id} ${x},${y} ${w}x${h}`);
}

Deno.test("settle() lets panels rest on those above and pushes overlapping ones down", () => {
  const settled = settle(panels({ a: [0, 3, 6, 2], b: [0, 4, 4, 2], c: [6, 9, 6, 1] }));
  assert.deepEqual(written(settled), ["a 0,0 6x2", "c 6,0 6x1", "b 0,2 4x2"]);
});

Deno.test("settle() brings panels into the grid", () => {
  const settled = settle(panels({ a: [11, 0, 6, 30], b: [-3, 0, 99, 0] }));
  assert.deepEqual(written(settled), ["b 0,0 12x1", "a 6,1 6x20"]);
});

Deno.test("a panel moved sideways changes places with its neighbour, or goes to the edge", () => {
  const row = panels({ a: [0, 0, 4, 2], b: [4, 0, 5, 2] });
  assert.deepEqual(written(movePanel(row, "b", "left")), ["b 0,0 5x2", "a 5,0 4x2"]);
  assert.deepEqual(written(movePanel(row, "a", "right")), ["b 0,0 5x2", "a 5,0 4x2"]);
  assert.deepEqual(written(movePanel(row, "b", "right")), ["a 0,0 4x2", "b 7,0 5x2"]);
  assert.deepEqual(written(movePanel(row, "a", "left")), written(row));
});

Deno.test("a panel with room beside it moves up to its neighbour first", () => {
  const row = panels({ a: [0, 0, 3, 2], b: [8, 0, 4, 2] });
  assert.deepEqual(written(movePanel(row, "b", "left")), ["a 0,0 3x2", "b 3,0 4x2"]);
});

Deno.test("a panel moved up or down changes places with the one there", () => {
  const column = panels({ a: [0, 0, 6, 2], b: [0, 2, 6, 3], c: [6, 0, 6, 1] });
  const swapped = ["b 0,0 6x3", "c 6,0 6x1", "a 0,3 6x2"];
  assert.deepEqual(written(movePanel(column, "b", "up")), swapped);
  assert.deepEqual(written(movePanel(column, "a", "down")), swapped);
  assert.deepEqual(written(movePanel(column, "a", "up")), written(settle(column)));
});

Deno.test("a panel that grows pushes what is beneath it down", () => {
  const column = panels({ a: [0, 0, 6, 2], b: [0, 2, 6, 2], c: [6, 0, 6, 2] });
  assert.deepEqual(written(resizePanel(column, "a", "taller")), [
    "a 0,0 6x3",
    "c 6,0 6x2",
    "b 0,3 6x2",
  ]);
  assert.deepEqual(written(resizePanel(column, "a", "wider")), [
    "a 0,0 7x2",
    "b 0,2 6x2",
    "c 6,2 6x2",
  ]);
});

Deno.test("a panel put upon another takes its place", () => {
  const column = panels({ a: [0, 0, 12, 2], b: [0, 2, 12, 2] });
  assert.deepEqual(written(placePanel(column, "b", place(0, 0, 12, 2))), [
    "b 0,0 12x2",
    "a 0,2 12x2",
  ]);
});

Deno.test("freePlace() goes beside the last panel where that leaves room, else below all", () => {
  assert.deepEqual(freePlace([], { w: 6, h: 7 }), place(0, 0, 6, 7));
  const one = panels({ a: [0, 0, 6, 7] });
  assert.deepEqual(freePlace(one, { w: 6, h: 7 }), place(6, 0, 6, 7));
  assert.deepEqual(freePlace(one, { w: 7, h: 7 }), place(0, 7, 7, 7));
});

Deno.test("whatever is done, no panel is lost, none overlap, and all are within the grid", () => {
  const aPlace = fc.record({
    x: fc.integer({ min: 0, max: 11 }),
    y: fc.integer({ min: 0, max: 30 }),
    w: fc.integer({ min: 1, max: 12 }),
    h: fc.integer({ min: 1, max: 20 }),
  });
  const anAction = fc.tuple(fc.nat(7), fc.constantFrom(...MOVES, ...RESIZES));
  fc.assert(
    fc.property(fc.array(aPlace, { maxLength: 8 }), fc.array(anAction), (places, actions) => {
      let all = settle(places.map((each, index) => ({ id: String(index), place: each })));
      for (const [id, action] of actions) {
        const move = MOVES.find((each) => each === action);
        const size = RESIZES.find((each) => each === action);
        if (move) all = movePanel(all, String(id), move);
        if (size) all = resizePanel(all, String(id), size);
      }
      assert.equal(new Set(all.map(({ id }) => id)).size, places.length);
      for (const [index, { place }] of all.entries()) {
        assert.ok(place.x >= 0 && place.x + place.w <= 12 && place.y >= 0 && place.h >= 1);
        assert.ok(Object.values(place).every(Number.isInteger));
        for (const other of all.slice(index + 1)) assert.ok(!overlap(place, other.place));
      }
      assert.deepEqual(settle(all), all);
    }),
  );
});

function overlap(a: Place, b: Place): boolean {
  return a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;
}
