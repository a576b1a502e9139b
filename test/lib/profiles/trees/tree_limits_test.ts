import assert from "node:assert/strict";
import { callTree } from "@/lib/profiles/trees/call_tree.ts";
import { FrameTable } from "@/lib/profiles/trees/tables.ts";
import { seededHash } from "@/lib/core/seeded_hash.ts";
import { StackBuilder } from "@/lib/profiles/trees/stack_builder.ts";
import { TREE_LIMITS } from "@/lib/profiles/trees/stacks.ts";
import { CPU, linesOf, profileOf, stacksOf } from "./profiles.ts";

const LINES = [
  { stack: "main;a;b;c", value: 1n },
  { stack: "main;a;b;d", value: 2n },
  { stack: "other;e", value: 4n },
  { stack: "", value: 8n },
  { stack: "main;a", value: 16n },
] as const;

Deno.test("stacks end where a tree is full, and keep their values", () => {
  const builder = new StackBuilder([CPU], 4);
  assert.equal(builder.isFull, false);
  builder.add(profileOf(LINES));
  assert.deepEqual([builder.isFull, builder.cut], [true, 3]);
  const tree = callTree(builder.build(), CPU);
  assert.deepEqual(linesOf(tree), ["<no stack> 8", "main;a 16", "main;a;b 3", "other 4"]);
  assert.equal(tree.totals[0], 31n);
});

Deno.test("stacks that were merged before end there as well, without landing elsewhere", () => {
  const builder = new StackBuilder([CPU], 3);
  // Below `b`, which has no room, stands an `a` that is none of those below the root.
  builder.addStacks(stacksOf(
    [CPU],
    profileOf([
      { stack: "main;a", value: 1n },
      { stack: "main;b;a", value: 2n },
      { stack: "main;b", value: 4n },
    ]),
  ));
  assert.ok(builder.isFull && builder.cut > 0);
  assert.deepEqual(linesOf(callTree(builder.build(), CPU)), ["main 6", "main;a 1"]);
});

Deno.test("a tree is full of functions and of their names, too", () => {
  const many = new StackBuilder([CPU]);
  const long = new StackBuilder([CPU]);
  const half = TREE_LIMITS.frames / 2;
  for (let part = 0; part < 3; part++) {
    assert.equal(many.isFull, false);
    assert.equal(long.isFull, part === 2);
    many.add(profileOf(
      Array.from({ length: half }, (_, at) => ({ stack: `f${part}.${at}`, value: 1n })),
    ));
    long.add(profileOf(
      Array.from(
        { length: TREE_LIMITS.text / 4_000 },
        (_, at) => ({ stack: `${"x".repeat(2_100)}${part}.${at}`, value: 1n }),
      ),
    ));
    if (part === 1) break;
  }
  assert.deepEqual([many.isFull, long.isFull], [true, true]);
});

Deno.test("endless names keep their end, by which they differ", () => {
  const table = new FrameTable();
  const frame = { file: "", module: "", line: 0, isInApp: null };
  const numbers = ["a", "b"].map((end) =>
    table.add({ ...frame, name: `${"x".repeat(60_000)}${end}` })
  );
  assert.notEqual(numbers[0], numbers[1]);
  const names = table.frames.slice(1).map(({ name }) => name);
  assert.deepEqual(names.map((name) => [name.length, name[0], name.at(-1)]), [
    [2_048, "…", "a"],
    [2_048, "…", "b"],
  ]);
});

Deno.test("nobody outside can tell which numbers collide", () => {
  const source = `
    import { seededHash } from ${
    JSON.stringify(import.meta.resolve("../../../../lib/core/seeded_hash.ts"))
  };
    console.log(seededHash(1, 2));`;
  const { stdout } = new Deno.Command(Deno.execPath(), { args: ["eval", source] }).outputSync();
  assert.notEqual(Number(new TextDecoder().decode(stdout)), seededHash(1, 2));
});
