import assert from "node:assert/strict";
import { fullest, type Heat, shadePaths, SHADES } from "@/lib/metrics/heat_map.tsx";

function heat(...rows: readonly (readonly number[])[]): Heat {
  return {
    title: "request.duration",
    ucum: "s",
    times: (rows[0] ?? []).map((_, column) => column * 60_000),
    stepMs: 60_000,
    rows: rows.map((counts, row) => ({ from: row, to: row + 1, counts })),
    notes: [],
  };
}

Deno.test("the fullest cells are darkest, a single observation still shows, and nothing is nothing", () => {
  const shades = shadePaths(heat([0, 1, 10_000]), 300, 100);
  assert.deepEqual(shades.map(({ shade }) => shade), [1, SHADES]);
  assert.deepEqual(shadePaths(heat([0, 0]), 300, 100), []);
  assert.deepEqual(shadePaths(heat(), 300, 100), []);
});

Deno.test("cells of one shade side by side are one, and low values stand at the bottom", () => {
  const [only] = shadePaths(heat([4, 4, 0], [0, 0, 4]), 300, 100);
  assert.equal(only?.path, "M0 50h200v50h-200zM200 0h100v50h-100z");
});

Deno.test("the fullest cell is found among many", () => {
  const counts = Array.from({ length: 200_000 }, (_, index) => index);
  assert.equal(fullest(heat(counts).rows), 199_999);
});
