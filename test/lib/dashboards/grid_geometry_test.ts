import assert from "node:assert/strict";
import { gridGeometry } from "@/lib/dashboards/live.ts";

Deno.test("a place on the screen is the nearest column", () => {
  const { columnAt } = gridGeometry(12 * 100 - 12, []);
  assert.deepEqual([-50, 0, 49, 51, 640, 1_160, 5_000].map(columnAt), [0, 0, 0, 1, 6, 12, 12]);
});

Deno.test("rows may be higher than usual, and go on below the last one", () => {
  const { rowAt } = gridGeometry(1_000, [40, 100, 40]);
  assert.deepEqual([-9, 0, 30, 60, 150, 166, 216, 270, 320].map(rowAt), [
    0,
    0,
    1,
    1,
    2,
    2,
    3,
    4,
    5,
  ]);
});
