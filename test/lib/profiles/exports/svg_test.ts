import assert from "node:assert/strict";
import { diffTrees } from "@/lib/profiles/trees/diff_trees.ts";
import { toSvg } from "@/lib/profiles/exports/svg.ts";
import { treeOf } from "../trees/profiles.ts";

function boxes(svg: string): { x: number; width: number; y: number; title: string }[] {
  const pattern = /<g><title>([^<]*)<\/title><rect x="([\d.]+)" y="(\d+)" width="([\d.]+)"/g;
  return [...svg.matchAll(pattern)].map(([, title = "", x, y, width]) => ({
    title,
    x: Number(x),
    y: Number(y),
    width: Number(width),
  }));
}

Deno.test("boxes are as wide as their share, each within the one above", () => {
  const svg = toSvg(treeOf("main;read@a.go 750000000", "main;write 250000000"), "shop");
  const [root, main, read, write] = boxes(svg);
  assert.deepEqual([root?.width, main?.width, read?.width, write?.width], [1184, 1184, 888, 296]);
  assert.equal(write?.x, (read?.x ?? 0) + 888);
  assert.ok((read?.y ?? 0) > (main?.y ?? 0));
  assert.equal(read?.title, "read (a.go)\n750 ms, 75.00%; itself 750 ms");
});

Deno.test("nothing in a name becomes markup", () => {
  const tree = treeOf("main;x 3");
  const name = `<script>alert("1")</script>&\u0000\ud800'`;
  const frames = tree.frames.map((frame) => frame.name === "x" ? { ...frame, name } : frame);
  const svg = toSvg({ ...tree, frames }, name);
  assert.ok(!svg.includes("<script"));
  assert.ok(!/&(?!(?:amp|lt|gt|quot);)/.test(svg));
  assert.ok(!svg.includes("\u0000"));
  assert.ok(svg.isWellFormed());
  assert.ok(svg.includes("&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&amp;\ufffd\ufffd'"));
});

Deno.test("a comparison has room for both sides", () => {
  const diff = diffTrees(treeOf("a 1", "gone 1"), treeOf("a 1", "new 1"), "none");
  const [, a, gone, added] = boxes(toSvg(diff, "x"));
  assert.deepEqual([a?.width, gone?.width, added?.width], [592, 296, 296]);
  assert.match(gone?.title ?? "", /^gone\n0 ns.*before 1 ns$/);
});

Deno.test("boxes stay within the one above where values are negative", () => {
  const [root, a, x, y] = boxes(toSvg(treeOf("a;x 10", "a;y -8", "b 2"), "x"));
  assert.ok((root?.width ?? 0) >= (a?.width ?? 0));
  assert.ok((a?.width ?? 0) + 0.1 >= (x?.width ?? 0) + (y?.width ?? 0));
});

Deno.test("a tree of nothing is a picture as well", () => {
  assert.match(toSvg(treeOf(), "empty"), /^<svg [\s\S]*<\/svg>\n$/);
});
