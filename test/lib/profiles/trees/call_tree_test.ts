import assert from "node:assert/strict";
import fc from "fast-check";
import { callTree, sharedOut } from "@/lib/profiles/trees/call_tree.ts";
import {
  CPU,
  linesOf,
  profileOf,
  SAMPLES,
  signedLines,
  stacksOf,
  totalLines,
  treeOf,
} from "./profiles.ts";

Deno.test("totals are those of a node with all below", () => {
  assert.deepEqual(totalLines(treeOf("main;read 3", "main;read;wait 4", "main;write 5")), [
    " 12",
    "main 12",
    "main;read 7",
    "main;read;wait 4",
    "main;write 5",
  ]);
});

Deno.test("a tree has the stacks of its own type only", () => {
  const profile = profileOf(
    [{ stack: "a;b", value: [1n, 0n] }, { stack: "a;c", value: [0n, 7n] }],
    {
      sampleTypes: [SAMPLES, CPU],
    },
  );
  const stacks = stacksOf([SAMPLES, CPU], profile);
  assert.deepEqual(linesOf(callTree(stacks, SAMPLES)), ["a;b 1"]);
  const tree = callTree(stacks, CPU);
  assert.deepEqual(linesOf(tree), ["a;c 7"]);
  assert.deepEqual(tree.frames.map(({ name }) => name), ["root", "a", "c"]);
});

Deno.test("a type is found by its name when the unit became a finer one", () => {
  const stacks = stacksOf([CPU], profileOf([{ stack: "a", value: 7n }]));
  const tree = callTree(stacks, { type: "cpu", unit: "milliseconds" });
  assert.deepEqual(tree.type, CPU);
  assert.throws(() => callTree(stacks, { type: "cpu", unit: "bytes" }), RangeError);
  assert.throws(() => callTree(stacks, SAMPLES), RangeError);
});

Deno.test("the averages of all subtrees are at most one off, and that of all is right", () => {
  fc.assert(fc.property(signedLines, fc.bigInt({ min: 1n, max: 1_000n }), (lines, divideBy) => {
    const stacks = stacksOf([CPU], profileOf(lines));
    const sums = callTree(stacks, CPU);
    const averages = callTree(stacks, CPU, divideBy);
    sums.totals.forEach((sum, node) => {
      const off = (averages.totals[node] ?? 0n) * divideBy - sum;
      assert.ok(off <= divideBy && off >= -divideBy);
    });
    const off = ((averages.totals[0] ?? 0n) * divideBy - (sums.totals[0] ?? 0n)) * 2n;
    assert.ok(off <= divideBy && off >= -divideBy);
  }));
});

Deno.test("shares add up to the share of the sum", () => {
  const values = BigInt64Array.of(1n, 0n, 1n, 1n, -2n, 2n ** 62n);
  assert.deepEqual(sharedOut(values, 1n, 1n), values);
  const shares = sharedOut(values, 1n, 3n);
  assert.equal(shares.reduce((sum, share) => sum + share, 0n), (2n ** 62n + 1n + 1n) / 3n);
  assert.equal(shares[1], 0n);
});
