import assert from "node:assert/strict";
import fc from "fast-check";
import { diffTrees } from "@/lib/profiles/trees/diff_trees.ts";
import { topFunctions } from "@/lib/profiles/trees/top_functions.ts";
import { diffLines, linesOf, signedTrees, treeOf, trees } from "./profiles.ts";

Deno.test("nodes of either tree are in the comparison", () => {
  const diff = diffTrees(treeOf("a;b 1", "c 2"), treeOf("a;b 5", "a;d 7"), "none");
  assert.deepEqual(diffLines(diff), ["a;b 1/5", "a;d 0/7", "c 2/0"]);
  assert.deepEqual([diff.baseTotals[0], diff.totals[0]], [3n, 12n]);
});

Deno.test("the first tree is scaled to the total of the second", () => {
  const diff = diffTrees(treeOf("a 1", "b 3"), treeOf("a 50", "b 50"), "total");
  assert.deepEqual(diffLines(diff), ["a 25/50", "b 75/50"]);
});

Deno.test("scaled values add up exactly", () => {
  fc.assert(fc.property(trees, trees, (base, other) => {
    const diff = diffTrees(base, other, "total");
    assert.equal(diff.totals[0], other.totals[0]);
    assert.deepEqual(linesOf(diff), linesOf(other));
    const [own = 0n, wanted = 0n] = [base.totals[0], other.totals[0]];
    assert.equal(diff.baseTotals[0], own > 0n && wanted > 0n ? wanted : own);
  }));
});

Deno.test("unscaled values are those of the trees", () => {
  fc.assert(fc.property(signedTrees, signedTrees, (base, other) => {
    const diff = diffTrees(base, other, "none");
    assert.deepEqual(linesOf(diff), linesOf(other));
    assert.deepEqual(linesOf(diff, diff.baseSelfs), linesOf(base));
  }));
});

Deno.test("a tree does not differ from itself", () => {
  fc.assert(fc.property(signedTrees, fc.constantFrom("total", "none"), (tree, scale) => {
    const diff = diffTrees(tree, tree, scale);
    assert.deepEqual(diff.baseSelfs, diff.selfs);
    assert.deepEqual(diff.baseTotals, diff.totals);
    for (const change of topFunctions(diff)) {
      assert.deepEqual([change.baseSelf, change.baseTotal], [change.self, change.total]);
    }
  }));
});

Deno.test("units are brought together where they can be", () => {
  const millis = { ...treeOf("a 2"), type: { type: "cpu", unit: "milliseconds" } };
  assert.deepEqual(diffLines(diffTrees(millis, treeOf("a 5"), "none")), ["a 2000000/5"]);
  const diff = diffTrees(treeOf("a 5"), millis, "none");
  assert.deepEqual(diffLines(diff), ["a 5/2000000"]);
  assert.equal(diff.type.unit, "nanoseconds");
  const bytes = { ...treeOf("a 2"), type: { type: "space", unit: "bytes" } };
  assert.throws(() => diffTrees(bytes, millis, "none"), RangeError);
});
