import assert from "node:assert/strict";
import { flameTree } from "@/lib/ui/flamegraph/flame_tree.ts";
import { find, foundTotal, nextFound, readSearch } from "@/lib/ui/flamegraph/functions.ts";
import { smallData } from "./trees.ts";

const TREE = flameTree(smallData({
  main: { Parse: { self: 10, inner: 5, Parse: { self: 20, "lib.parseInt": 5 } }, other: 60 },
}));
const found = (text: string) => find(TREE, readSearch(text));

Deno.test("a part of the name is found in any case, nested finds count once", () => {
  const result = found("parse");
  assert.ok(result);
  assert.equal(result.nodes.length, 3);
  assert.equal(foundTotal(TREE, result, 0), 40);
  assert.equal(foundTotal(TREE, result, result.nodes[1] ?? 0), 25);
});

Deno.test("files and modules are found too, the root never", () => {
  assert.equal(found("/app/shop.ts")?.nodes.length, TREE.size - 1);
  assert.equal(found("SHOP")?.nodes.length, TREE.size - 1);
});

Deno.test("slashes around make a regular expression", () => {
  const names = (text: string) =>
    found(text)?.nodes.map((node) => TREE.frames.names[TREE.nodeFrames[node] ?? 0]);
  assert.deepEqual(names("/^parse$/"), ["Parse", "Parse"]);
  assert.deepEqual(names("/^(inner|other)$/"), ["inner", "other"]);
  assert.equal(readSearch("/(/").kind, "invalid");
  assert.equal(found("/(/"), null);
  assert.equal(readSearch("  ").kind, "none");
});

Deno.test("next and previous go round", () => {
  const result = found("parse");
  assert.ok(result);
  const [first, , last] = result.nodes;
  assert.equal(nextFound(result, 0, 1), first);
  assert.equal(nextFound(result, last ?? 0, 1), first);
  assert.equal(nextFound(result, first ?? 0, -1), last);
  assert.equal(nextFound(result, 0, 1, () => false), null);
});
