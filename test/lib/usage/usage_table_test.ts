import assert from "node:assert/strict";
import type { KindQuantity } from "@/lib/usage/counts.ts";
import { arrivedOf, linesBy, totalOf } from "@/lib/usage/usage_tables.tsx";

type Item = KindQuantity & { readonly category: string };

const ROWS: readonly Item[] = [
  { category: "error", kind: "accepted", quantity: 1 },
  { category: "log", kind: "accepted", quantity: 10 },
  { category: "error", kind: "invalid", quantity: 2 },
  { category: "error", kind: "client_discard", quantity: 100 },
];

Deno.test("lines add up by their key, the largest first", () => {
  const lines = linesBy(arrivedOf(ROWS), ({ category }) => category);
  assert.deepEqual(lines, [
    { key: "log", byKind: new Map([["accepted", 10]]), total: 10 },
    { key: "error", byKind: new Map([["accepted", 1], ["invalid", 2]]), total: 3 },
  ]);
});

Deno.test("what clients dropped has not arrived", () => {
  assert.equal(totalOf(arrivedOf(ROWS)).total, 13);
  assert.equal(totalOf([]).total, 0);
});
