import assert from "node:assert/strict";
import { topFunctions } from "@/lib/profiles/trees/top_functions.ts";
import { flameTree } from "@/lib/ui/flamegraph/flame_tree.ts";
import { functionsOf, sortedRows } from "@/lib/ui/flamegraph/functions.ts";
import { largeTree, smallData, wholePayload } from "./trees.ts";

Deno.test("functions are added up as the server does it, recursion once", () => {
  const tree = largeTree(20_000);
  const expected = new Map(
    topFunctions(tree).filter(({ total }) => total > 0n).map(({ frame, self, total }) => [
      `${frame.name} ${frame.file}:${frame.line}`,
      [Number(self), Number(total)],
    ]),
  );
  const rows = functionsOf(flameTree(wholePayload(tree)));
  assert.equal(rows.length, expected.size);
  for (const { name, place, self, total } of rows) {
    assert.deepEqual([self, total], expected.get(`${name} ${place}`));
  }
});

Deno.test("rows sort by every column, and the other way round", () => {
  const rows = functionsOf(flameTree(smallData({ b: { self: 1, c: 5 }, a: 3 }, { a: 9 })));
  const names = (
    ...how: Parameters<typeof sortedRows> extends [unknown, ...infer Rest] ? Rest : []
  ) => sortedRows(rows, ...how).map(({ name }) => name).join("");
  assert.equal(names("self"), "acb");
  assert.equal(names("total"), "abc");
  assert.equal(names("name"), "abc");
  assert.equal(names("name", true), "cba");
  assert.equal(names("change"), "bac");
});
