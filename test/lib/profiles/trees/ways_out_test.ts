import assert from "node:assert/strict";
import { StackBuilder } from "@/lib/profiles/trees/stack_builder.ts";
import { callTree, TreeDraft } from "@/lib/profiles/trees/call_tree.ts";
import { inverted, sandwich, waysOut } from "@/lib/profiles/trees/reshape.ts";
import { TREE_LIMITS } from "@/lib/profiles/trees/stacks.ts";
import { CPU, linesOf, profileOf, totalLines, treeOf } from "./profiles.ts";

/** So many functions at the end of one deep stack, which is a stack for each when it is turned round. */
function broom(ends: number, depth: number) {
  const handle = Array.from({ length: depth }, (_, level) => `f${level % 50}`).join(";");
  const lines = Array.from({ length: ends }, (_, end) => ({
    stack: `${handle};leaf${end}`,
    value: 1n,
  }));
  const builder = new StackBuilder([CPU]);
  builder.add(profileOf(lines));
  return callTree(builder.build(), CPU);
}

Deno.test("what is too large when turned round loses its outermost callers, and no value", () => {
  const tree = broom(3_000, 2_000);
  const total = tree.totals[0];
  for (const turned of [inverted(tree), sandwich(tree, ({ name }) => /^leaf/.test(name)).callers]) {
    assert.equal(turned.totals[0], total);
    assert.ok(turned.parents.length <= TREE_LIMITS.turnedNodes + 3_001);
    const leaves = turned.parents.filter((parent, node) => node > 0 && parent === 0);
    assert.equal(leaves.length, 3_000);
  }
});

Deno.test("all stacks lose the same levels", () => {
  const tree = treeOf("main;a;b;x 1", "main;a;c;y 2", "z 4");
  const draft = new TreeDraft(tree);
  const leaves = tree.selfs.reduce<number[]>(
    (found, self, node) => self === 0n ? found : [...found, node],
    [],
  );
  const ends = waysOut(tree, draft, Uint32Array.from(leaves), { nodes: 100, steps: 5 });
  ends.forEach((end, way) => draft.addSelf(end, leaves[way] ?? 0));
  assert.deepEqual(linesOf(draft.finish()), ["x;b 1", "y;c 2", "z 4"]);
});

Deno.test("stacks that walk the same callers a million times are no more work than others", () => {
  const lines = Array.from({ length: 40 }, (_, way) =>
    Array.from({ length: 200 }, (_, depth) => ({
      stack: `x${way}${";a".repeat(depth * 10)}`,
      value: 1n,
    }))).flat();
  const builder = new StackBuilder([CPU]);
  builder.add(profileOf(lines));
  const turned = inverted(callTree(builder.build(), CPU));
  assert.equal(turned.totals[0], 8_000n);
  assert.ok(totalLines(turned).includes("a 7960"));
});
