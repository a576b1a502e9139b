import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { diffTrees } from "@/lib/profiles/trees/diff_trees.ts";
import type { FlameData } from "@/lib/ui/flamegraph/flame_tree.ts";
import { flamePayload, subtree } from "@/lib/profiles/trees/flame_payload.ts";
import { frameHash } from "@/lib/ui/flamegraph/path.ts";
import type { CallTree } from "@/lib/profiles/trees/stacks.ts";
import { linesOf, signedTrees, treeOf, trees } from "./profiles.ts";

/** Nodes as text: two blanks a level, the function, self/total. */
function drawn(data: FlameData): string[] {
  return data.depths.map((depth, node) => {
    const name = data.frames.names[data.nodeFrames[node] ?? 0];
    return `${"  ".repeat(depth)}${name} ${data.selfs[node]}/${data.totals[node]}`;
  });
}

function pathOf(...frames: string[]): string[] {
  return frames.map((frame) => {
    const [name = "", file = ""] = frame.split("@");
    return frameHash(name, file);
  });
}

Deno.test("nodes come depth first, the largest of siblings before the others", () => {
  const data = flamePayload(treeOf("a;x 1", "b 5", "a;y 2", "c;z 5", "a 1"));
  assert.deepEqual(drawn(data), [
    "root 0/14",
    "  b 5/5",
    "  c 0/5",
    "    z 5/5",
    "  a 1/4",
    "    y 2/2",
    "    x 1/1",
  ]);
  assert.deepEqual(data.cut, []);
});

Deno.test("nodes that are too small are left out, and counted where they would be", () => {
  const tree = treeOf("a;x 1", "a;y;z 2", "a 90", "b;c 3", "d 4");
  const data = flamePayload(tree, { minShare: 0.03 });
  assert.deepEqual(drawn(data), ["root 0/100", "  a 90/93", "  d 4/4", "  b 0/3", "    c 3/3"]);
  assert.deepEqual(data.cut, [[1, 3]]);
  assert.deepEqual(drawn(flamePayload(tree, { maxNodes: 3 })), [
    "root 0/100",
    "  a 90/93",
    "  d 4/4",
  ]);
  assert.deepEqual(flamePayload(tree, { maxNodes: 3 }).cut, [[0, 2], [1, 3]]);
});

Deno.test("of thousands of small children some are sent to be zoomed to", () => {
  const tree = treeOf(...Array.from({ length: 10_000 }, (_, place) => `f${place} 1`));
  assert.ok(flamePayload(tree).depths.length > 1_000);
});

Deno.test("what is sent adds up: totals, and nodes that are left out", () => {
  fc.assert(fc.property(signedTrees, fc.integer({ min: 1, max: 12 }), (tree, maxNodes) => {
    const data = flamePayload(tree, { maxNodes, minShare: 0 });
    const left = data.cut.reduce((sum, [, count]) => sum + count, 0);
    assert.equal(data.depths.length + left, tree.parents.length);
    assert.equal(data.totals[0], Number(tree.totals[0]));
    assert.ok(data.depths.length <= maxNodes);
  }));
});

Deno.test("a payload does not depend on the order of nodes", () => {
  fc.assert(fc.property(trees, fc.integer({ min: 1, max: 12 }), (tree, maxNodes) => {
    const lines = linesOf(tree);
    const shuffled = treeOf(...lines.toReversed());
    const options = { maxNodes, minShare: 0 };
    const sent = drawn(flamePayload(shuffled, options));
    assert.deepEqual(sent, drawn(flamePayload(treeOf(...lines), options)));
  }));
});

Deno.test("comparisons have both values, and what is gone is still there", () => {
  const diff = diffTrees(treeOf("a 1", "gone 6"), treeOf("a 3", "new 4"), "none");
  const data = flamePayload(diff);
  assert.deepEqual(drawn(data), ["root 0/7", "  gone 0/0", "  a 3/3", "  new 4/4"]);
  assert.deepEqual(data.base, { selfs: [0, 6, 1, 0], totals: [7, 6, 1, 0] });
});

Deno.test("a path leads to what is below it", () => {
  const tree = treeOf("main;f@a.go;g 1", "main;f@b.go 2", "main;f@b.go;f@b.go;h 4");
  const data = flamePayload(tree, { path: pathOf("main", "f@b.go") });
  assert.deepEqual(drawn(data), ["f 2/6", "  f 0/4", "    h 4/4"]);
  assert.deepEqual(drawn(flamePayload(tree, { path: pathOf("main", "nowhere") })), ["root 0/0"]);
  assert.deepEqual(drawn(flamePayload(tree, { path: ["nonsense"] })), ["root 0/0"]);
  assert.equal(subtree(tree, []), tree);
});

Deno.test("siblings of the same hash are told apart by their place", () => {
  const tree = treeOf("main;f@x.go 1", "main;f@y.go 5");
  const same = tree.frames.map((frame, place) =>
    frame.file === "" ? frame : { ...frame, file: "z.go", module: `m${place}` }
  );
  const twins: CallTree = { ...tree, frames: same };
  const [main = "", f = ""] = pathOf("main", "f@z.go");
  assert.equal(subtree(twins, [main, f]).totals[0], 5n);
  assert.equal(subtree(twins, [main, `${f}.1`]).totals[0], 1n);
  assert.equal(subtree(twins, [main, `${f}.2`]).totals[0], 0n);
});

Deno.test("a path through what was sent leads to the same node", () => {
  fc.assert(
    fc.property(trees, (tree) => {
      const data = flamePayload(tree, { minShare: 0 });
      const path: string[] = [];
      data.depths.forEach((depth, node) => {
        const frame = data.nodeFrames[node] ?? 0;
        const file = data.frames.files[data.frames.fileOf[frame] ?? 0] ?? "";
        path.length = Math.max(0, depth - 1);
        if (depth > 0) path.push(frameHash(data.frames.names[frame] ?? "", file));
        const below = flamePayload(tree, { path, minShare: 0 });
        assert.deepEqual([below.totals[0], below.selfs[0]], [data.totals[node], data.selfs[node]]);
      });
    }),
    { numRuns: 30 },
  );
});

Deno.test("functions of which nobody says so are judged by the platform", () => {
  const tree = treeOf("main.main;runtime.mallocgc 1");
  assert.deepEqual(flamePayload(tree).frames.isInApp, [2, 2, 2]);
  assert.deepEqual(flamePayload(tree, { platform: "go" }).frames.isInApp.slice(1), [1, 0]);
});

Deno.test("a tree of 200,000 nodes is sent in less than 300 KB", () => {
  const tree = largeTree(200_000);
  for (const sent of [tree, diffTrees(tree, tree, "none")]) {
    const bytes = gzipSync(JSON.stringify(flamePayload(sent, { minShare: 0 })));
    assert.ok(bytes.length < 300_000, `${bytes.length} bytes`);
  }
});

/** Nodes of all depths with values that do not compress. */
function largeTree(count: number): CallTree {
  const random = lehmer();
  const frames = Array.from({ length: 4_000 }, (_, at) => ({
    name: `github.com/acme/shop/internal/part${at % 97}.(*Type${at % 31}).Method${at}`,
    file: `/src/shop/internal/part${at % 97}/file${at % 211}.go`,
    module: "shop",
    line: at,
    isInApp: null,
  }));
  const parents = Uint32Array.from({ length: count }, (_, node) => {
    const depth = random(50);
    return node === 0 ? 0 : depth < 45 ? node - 1 : random(node);
  });
  const selfs = BigInt64Array.from({ length: count }, () => BigInt(random(2 ** 31)) * 1_000n);
  const totals = selfs.slice();
  for (let node = count - 1; node > 0; node--) {
    const parent = parents[node] ?? 0;
    totals[parent] = (totals[parent] ?? 0n) + (totals[node] ?? 0n);
  }
  const nodeFrames = Uint32Array.from(parents, (_, node) => node === 0 ? 0 : 1 + random(3_999));
  return { type: { type: "cpu", unit: "nanoseconds" }, frames, parents, nodeFrames, selfs, totals };
}

function lehmer(): (below: number) => number {
  let state = 1;
  return (below) => {
    state = state * 48271 % 2147483647;
    return Math.floor(state / 2147483647 * below);
  };
}
