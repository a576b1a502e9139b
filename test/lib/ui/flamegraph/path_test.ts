import assert from "node:assert/strict";
import { flamePayload } from "@/lib/profiles/trees/flame_payload.ts";
import { type FlameTree, flameTree, reshaped } from "@/lib/ui/flamegraph/flame_tree.ts";
import { follow, lackingPath, pathOf, readPath, spliced } from "@/lib/ui/flamegraph/path.ts";
import { chart } from "./graphs.ts";
import { largeDiff, largeTree, smallData, wholePayload } from "./trees.ts";

const AS_IT_IS = { hidden: new Set<number>(), collapsesRecursion: false };

/** A node and all below it as text, with the names of functions. */
function below(tree: FlameTree, top: number): string[] {
  const { frames, depths, nodeFrames, selfs, totals, base } = tree;
  return Array.from({ length: (tree.ends[top] ?? 0) - top }, (_, index) => {
    const node = top + index;
    const frame = nodeFrames[node] ?? 0;
    const values = [selfs[node], totals[node], base?.selfs[node], base?.totals[node]];
    return [depths[node], frames.names[frame], frames.lines[frame], ...values].join(" ");
  });
}

Deno.test("a path leads back to its node, also among siblings of the same function", () => {
  for (const data of [wholePayload(largeTree(2_000)), chart("1")]) {
    const tree = flameTree(data);
    for (let node = 0; node < tree.size; node++) {
      const path = readPath(pathOf(tree, node).join(","));
      assert.deepEqual(follow(tree, path), { node, isWhole: true });
    }
  }
});

Deno.test("a path that leads nowhere ends at the last node that is there", () => {
  const tree = flameTree(smallData({ a: { b: 1 } }));
  assert.deepEqual(follow(tree, [...pathOf(tree, 1), "00000000"]), { node: 1, isWhole: false });
  assert.deepEqual([readPath(null), readPath(""), readPath("x"), readPath("0000000g")], [
    [],
    [],
    [],
    [],
  ]);
});

for (const tree of [largeTree(20_000), largeDiff(20_000)]) {
  const kind = "baseSelfs" in tree ? "comparison" : "tree";
  Deno.test(`what the server sends for a path completes that part of the ${kind}`, () => {
    const limits = { minShare: 1 / 200, maxNodes: 1_000_000 };
    const cut = flameTree(flamePayload(tree, limits));
    const path = pathOf(cut, 40);
    assert.deepEqual(lackingPath(cut, cut, path), path);
    const answer = flamePayload(tree, { path, minShare: 0, maxNodes: 1_000_000 });
    const whole = spliced(cut, 40, path, answer);
    assert.ok(whole);
    assert.ok(whole.size > cut.size);
    const full = flameTree(flamePayload(tree, { minShare: 0, maxNodes: 1_000_000 }));
    assert.deepEqual(below(whole, 40), below(full, follow(full, path).node));
    assert.equal(lackingPath(whole, whole, path), null);
    // The rest is as it was.
    const sizeBelow = (whole.ends[40] ?? 0) - 40;
    assert.deepEqual(
      below(whole, 0).toSpliced(40, sizeBelow),
      below(cut, 0).toSpliced(
        40,
        (cut.ends[40] ?? 0) - 40,
      ),
    );
  });
}

Deno.test("an answer that begins at the root of everything is followed down; a wrong one is refused", () => {
  const cut = flameTree({ ...smallData({ a: { self: 5, b: 5 } }), cut: [[2, 1]] });
  const path = pathOf(cut, 2);
  const answer = smallData({ a: { self: 5, b: { c: 5 } } });
  const whole = spliced(cut, 2, path, answer);
  assert.deepEqual(whole && below(whole, 0).map((line) => line.split(" ")[1]), ["", "a", "b", "c"]);
  assert.equal(spliced(cut, 2, path, smallData({ x: 1 })), null);
  assert.equal(spliced(cut, 2, path, { ...answer, depths: [] }), null);
});

Deno.test("nothing is missing at the root, in order of time, or where nothing was left out", () => {
  const data = { ...smallData({ a: { b: 1 }, c: 1 }), cut: [[2, 3]] as const };
  const tree = flameTree(data);
  assert.equal(lackingPath(tree, tree, []), null);
  assert.equal(lackingPath(tree, tree, pathOf(tree, 3)), null);
  assert.deepEqual(lackingPath(tree, tree, pathOf(tree, 1)), pathOf(tree, 1));
  const time = flameTree({ ...chart("1"), cut: [[2, 3]] });
  assert.equal(lackingPath(time, time, pathOf(time, 2)), null);
});

Deno.test("with functions hidden, what is missing is asked for by the way in the tree as it came", () => {
  const source = flameTree({ ...smallData({ a: { b: { c: 1 } } }), cut: [[3, 9]] });
  const shown = reshaped(source, { ...AS_IT_IS, hidden: new Set([2]) });
  assert.deepEqual(lackingPath(source, shown, pathOf(shown, 2)), pathOf(source, 3));
});
