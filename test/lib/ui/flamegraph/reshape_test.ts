import assert from "node:assert/strict";
import { type FlameTree, flameTree, reshaped } from "@/lib/ui/flamegraph/flame_tree.ts";
import { functionsOf } from "@/lib/ui/flamegraph/functions.ts";
import { chart } from "./graphs.ts";
import { largeTree, smallData, wholePayload } from "./trees.ts";

/** Each node as `depth name self/total`. */
function lines({ frames, depths, nodeFrames, selfs, totals }: FlameTree): string[] {
  return Array.from(
    depths,
    (depth, node) =>
      `${depth} ${frames.names[nodeFrames[node] ?? 0]} ${selfs[node]}/${totals[node]}`,
  );
}

const RECURSIVE = smallData({
  a: { self: 1, a: { self: 2, a: 4, b: 8 }, b: { self: 16, c: 32, a: 64 } },
});
const without = (...names: string[]) => ({
  hidden: new Set(names.map((name) => RECURSIVE.frames.names.indexOf(name))),
  collapsesRecursion: false,
});

Deno.test("direct recursion becomes one box that takes over what is called below", () => {
  const tree = reshaped(flameTree(RECURSIVE), { hidden: new Set(), collapsesRecursion: true });
  assert.deepEqual(lines(tree), ["0  0/127", "1 a 7/127", "2 b 24/120", "3 a 64/64", "3 c 32/32"]);
});

Deno.test("a hidden function leaves its time and its calls to its caller", () => {
  const tree = reshaped(flameTree(RECURSIVE), without("b"));
  assert.deepEqual(lines(tree), [
    "0  0/127",
    "1 a 17/127",
    "2 a 74/78",
    "3 a 4/4",
    "2 c 32/32",
  ]);
});

Deno.test("in order of time calls of one function stay apart", () => {
  const source = flameTree(chart("1"));
  const main = source.frames.names.indexOf("main");
  const tree = reshaped(source, { hidden: new Set([main]), collapsesRecursion: false });
  assert.deepEqual([...tree.depths], [0, 1, 1, 1]);
  assert.deepEqual([...tree.starts ?? []], [0, 0, 30e6, 60e6]);
  assert.deepEqual([...tree.originals], [0, 2, 3, 5]);
});

Deno.test("nothing to do leaves the tree alone", () => {
  const tree = flameTree(RECURSIVE);
  assert.equal(reshaped(tree, { hidden: new Set(), collapsesRecursion: false }), tree);
});

Deno.test("totals, selfs by function and what is cut stay true in a large tree", () => {
  const data = { ...wholePayload(largeTree(20_000)), cut: [[5, 7], [6, 1]] as const };
  const tree = flameTree(data);
  const folded = reshaped(tree, { hidden: new Set(), collapsesRecursion: true });
  assert.ok(folded.size < tree.size);
  const selfs = (of: FlameTree) => new Map(functionsOf(of).map(({ frame, self }) => [frame, self]));
  assert.deepEqual(selfs(folded), selfs(tree));
  assert.equal(folded.totals[0], tree.totals[0]);
  assert.equal([...folded.cut.values()].reduce((sum, count) => sum + count, 0), 8);
  for (let node = 1; node < folded.size; node++) {
    const parent = folded.parents[node] ?? 0;
    assert.notEqual(folded.nodeFrames[node], folded.nodeFrames[parent]);
  }
});
