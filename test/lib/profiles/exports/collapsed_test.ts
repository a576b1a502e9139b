import assert from "node:assert/strict";
import fc from "fast-check";
import { toCollapsed } from "@/lib/profiles/exports/stack_files.ts";
import { linesOf, treeOf, trees } from "../trees/profiles.ts";

Deno.test("stacks are lines, the outermost function first", () => {
  const text = toCollapsed(treeOf("main;read 3", "main;read;wait 4", "main 1"));
  assert.equal(text, "main 1\nmain;read 3\nmain;read;wait 4\n");
});

Deno.test("names cannot break lines or stacks", () => {
  const tree = treeOf("main;x 3");
  const frames = tree.frames.map((frame) =>
    frame.name === "x" ? { ...frame, name: "f(a; b)\r\n 7" } : frame
  );
  assert.equal(toCollapsed({ ...tree, frames }), "main;f(a: b)  7 3\n");
});

Deno.test("nothing is nothing", () => {
  assert.equal(toCollapsed(treeOf()), "");
});

Deno.test("lines read back give the same values", () => {
  fc.assert(fc.property(trees, (tree) => {
    const bare = { ...tree, frames: tree.frames.map((frame) => ({ ...frame, file: "" })) };
    const lines = toCollapsed(tree).split("\n").slice(0, -1);
    assert.deepEqual(lines.sort(), linesOf(bare));
  }));
});
