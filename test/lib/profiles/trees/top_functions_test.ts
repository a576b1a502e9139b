import assert from "node:assert/strict";
import { diffTrees } from "@/lib/profiles/trees/diff_trees.ts";
import { topFunctions } from "@/lib/profiles/trees/top_functions.ts";
import { treeOf } from "./profiles.ts";

Deno.test("functions are listed with their own values and with what they call", () => {
  const top = topFunctions(treeOf("main;read 3", "main;read;wait 4", "main;write 5", "main 1"));
  assert.deepEqual(top.map(({ frame, self, total }) => [frame.name, self, total]), [
    ["write", 5n, 5n],
    ["wait", 4n, 4n],
    ["read", 3n, 7n],
    ["main", 1n, 13n],
  ]);
});

Deno.test("a function that calls itself counts once", () => {
  const top = topFunctions(treeOf("f;f;g;f 3", "f;g 4", "g;f;g 5"));
  assert.deepEqual(top.map(({ frame, self, total }) => [frame.name, self, total]), [
    ["g", 9n, 12n],
    ["f", 3n, 12n],
  ]);
});

Deno.test("equal functions are in the order of their names", () => {
  const top = topFunctions(treeOf("b 1", "a@y 1", "a@x 1", "c 1"));
  assert.deepEqual(top.map(({ frame }) => frame.name + frame.file), ["ax", "ay", "b", "c"]);
});

Deno.test("what grew the most stands first", () => {
  const base = treeOf("main;f 10", "main;g 10", "main;gone 4");
  const other = treeOf("main;f 30", "main;g 9", "main;new 9");
  const changes = topFunctions(diffTrees(base, other, "none"));
  assert.deepEqual(
    changes.map((
      { frame, baseSelf, self, baseTotal, total },
    ) => [frame.name, baseSelf, self, baseTotal, total]),
    [
      ["f", 10n, 30n, 10n, 30n],
      ["new", 0n, 9n, 0n, 9n],
      ["main", 0n, 0n, 24n, 48n],
      ["g", 10n, 9n, 10n, 9n],
      ["gone", 4n, 0n, 4n, 0n],
    ],
  );
  assert.deepEqual(topFunctions(diffTrees(base, other, "total"))[0]?.baseSelf, 20n);
});
