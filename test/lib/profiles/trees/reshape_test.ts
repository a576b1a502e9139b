import assert from "node:assert/strict";
import fc from "fast-check";
import { diffTrees } from "@/lib/profiles/trees/diff_trees.ts";
import { aggregated, filtered, inverted, sandwich } from "@/lib/profiles/trees/reshape.ts";
import type { Frame } from "@/lib/profiles/trees/stacks.ts";
import { topFunctions } from "@/lib/profiles/trees/top_functions.ts";
import { diffLines, linesOf, signedTrees, totalLines, treeOf } from "./profiles.ts";

const named = (...names: string[]) => ({ name }: Frame) => names.includes(name);

Deno.test("an inverted tree begins with what has values itself", () => {
  const tree = inverted(treeOf("main;read;wait 4", "main;write;wait 5", "main;read 1"));
  assert.deepEqual(totalLines(tree), [
    " 10",
    "read 1",
    "read;main 1",
    "wait 9",
    "wait;read 4",
    "wait;read;main 4",
    "wait;write 5",
    "wait;write;main 5",
  ]);
});

Deno.test("inverted twice, a tree is what it was", () => {
  fc.assert(fc.property(signedTrees, (tree) => {
    assert.deepEqual(linesOf(inverted(inverted(tree))), linesOf(tree));
    assert.equal(inverted(tree).totals[0], tree.totals[0]);
  }));
});

Deno.test("the first level of an inverted tree has the own values of all functions", () => {
  fc.assert(fc.property(signedTrees, (tree) => {
    const { parents, nodeFrames, frames, totals } = inverted(tree);
    const firsts = new Map<string, bigint>();
    parents.forEach((parent, node) => {
      const frame = frames[nodeFrames[node] ?? 0];
      if (node > 0 && parent === 0) firsts.set(`${frame?.name}@${frame?.file}`, totals[node] ?? 0n);
    });
    for (const { frame, self } of topFunctions(tree)) {
      assert.equal(firsts.get(`${frame.name}@${frame.file}`) ?? 0n, self);
    }
  }));
});

Deno.test("a sandwich has the callers and the callees of a function", () => {
  const tree = treeOf("main;f;g 1", "main;x;f 2", "main;f;g;h 4", "main;g 8");
  const { callers, callees } = sandwich(tree, named("f"));
  assert.deepEqual(linesOf(callers), ["f;main 5", "f;x;main 2"]);
  assert.deepEqual(linesOf(callees), ["f 2", "f;g 1", "f;g;h 4"]);
});

Deno.test("a function that calls itself is cut open at its outermost call", () => {
  const { callers, callees } = sandwich(treeOf("main;f;g;f;h 3"), named("f"));
  assert.deepEqual(linesOf(callers), ["f;main 3"]);
  assert.deepEqual(linesOf(callees), ["f;g;f;h 3"]);
});

Deno.test("both halves of a sandwich have the total of its function", () => {
  fc.assert(fc.property(signedTrees, (tree) => {
    for (const { frame, total } of topFunctions(tree)) {
      const isFrame = (other: Frame) => other.name === frame.name && other.file === frame.file;
      const { callers, callees } = sandwich(tree, isFrame);
      assert.deepEqual([callers.totals[0], callees.totals[0]], [total, total]);
    }
  }));
});

Deno.test("stacks are kept with a function, dropped with one, and functions are taken out", () => {
  const tree = treeOf("main;f;g 1", "main;g;f 2", "main;h 4", "g 8", "main;f;x;h 16");
  assert.deepEqual(linesOf(filtered(tree, { focus: named("f") })), [
    "main;f;g 1",
    "main;f;x;h 16",
    "main;g;f 2",
  ]);
  assert.deepEqual(linesOf(filtered(tree, { ignore: named("f", "h") })), ["g 8"]);
  assert.deepEqual(linesOf(filtered(tree, { focus: named("f"), ignore: named("h") })), [
    "main;f;g 1",
    "main;g;f 2",
  ]);
  // What is hidden still counts for the others; a stack of which nothing is left is no longer there.
  assert.deepEqual(linesOf(filtered(tree, { focus: named("f"), hide: named("f", "x") })), [
    "main;g 3",
    "main;h 16",
  ]);
  assert.deepEqual(linesOf(filtered(tree, { hide: named("main", "g") })), [
    "f 3",
    "f;x;h 16",
    "h 4",
  ]);
});

Deno.test("focus and ignore part a tree in two", () => {
  fc.assert(fc.property(signedTrees, (tree) => {
    const focus = filtered(tree, { focus: named("a") });
    const ignore = filtered(tree, { ignore: named("a") });
    assert.equal((focus.totals[0] ?? 0n) + (ignore.totals[0] ?? 0n), tree.totals[0]);
    assert.deepEqual([...linesOf(focus), ...linesOf(ignore)].sort(), linesOf(tree));
  }));
});

Deno.test("calls within one file, module or package are one", () => {
  const tree = treeOf("main@a.go;f@b.go;g@b.go 1", "main@a.go;f@b.go 2", "main@a.go 4", "free 8");
  assert.deepEqual(linesOf(aggregated(tree, "file")), [
    "<no file> 8",
    "a.go@a.go 4",
    "a.go@a.go;b.go@b.go 3",
  ]);
  assert.deepEqual(linesOf(aggregated(tree, "module")), ["<no module> 15"]);
  assert.equal(aggregated(tree, "function"), tree);
  const go = treeOf("main.main@/src/main.go;net/http.(*conn).serve@server.go;net/http.f@x.go 3");
  assert.deepEqual(linesOf(aggregated(go, "package")), ["main;net/http 3"]);
});

Deno.test("totals stay what they are in groups", () => {
  fc.assert(fc.property(signedTrees, (tree) => {
    assert.equal(aggregated(tree, "file").totals[0], tree.totals[0]);
    assert.equal(aggregated(tree, "package").totals[0], tree.totals[0]);
  }));
});

Deno.test("comparisons are reshaped with both of their values", () => {
  const diff = diffTrees(
    treeOf("main;f 1", "main;gone 2"),
    treeOf("main;f 3", "main;f;g 4"),
    "none",
  );
  assert.deepEqual(diffLines(inverted(diff)), ["f;main 1/3", "g;f;main 0/4", "gone;main 2/0"]);
  assert.deepEqual(diffLines(filtered(diff, { hide: named("f") })), [
    "main 1/3",
    "main;g 0/4",
    "main;gone 2/0",
  ]);
  const { callers, callees } = sandwich(diff, named("f"));
  assert.deepEqual(diffLines(callers), ["f;main 1/7"]);
  assert.deepEqual(diffLines(callees), ["f 1/3", "f;g 0/4"]);
  assert.deepEqual([callers.baseTotals[0], callers.totals[0]], [1n, 7n]);
});

Deno.test("stacks of thousands of frames do not end in a recursion of our own", () => {
  const deep = treeOf(`${Array.from({ length: 2_048 }, () => "a").join(";")} 1`);
  assert.equal(topFunctions(deep)[0]?.total, 1n);
  assert.equal(inverted(deep).parents.length, 2_049);
  assert.equal(filtered(deep, { focus: named("a") }).totals[0], 1n);
});
