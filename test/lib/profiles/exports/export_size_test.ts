import assert from "node:assert/strict";
import { callTree } from "@/lib/profiles/trees/call_tree.ts";
import {
  boundedStacks,
  ExportTooLarge,
  toCollapsed,
  toPprof,
  toSpeedscope,
} from "@/lib/profiles/exports/stack_files.ts";
import { StackBuilder } from "@/lib/profiles/trees/stack_builder.ts";
import { CPU, profileOf, treeOf } from "../trees/profiles.ts";

Deno.test("stacks that would make a file of gigabytes are refused in every format of stacks", () => {
  const builder = new StackBuilder([CPU]);
  const handle = "f;".repeat(2_000);
  // Each has four thousand ends of its own.
  for (let part = 0; part < 2; part++) {
    builder.add(profileOf(
      Array.from({ length: 4_000 }, (_, at) => ({ stack: `${handle}g${part}.${at}`, value: 1n })),
    ));
  }
  const stacks = builder.build();
  const tree = callTree(stacks, CPU);
  for (
    const write of [
      () => toCollapsed(tree),
      () => toSpeedscope(tree, ""),
      () => toPprof(stacks, { timeNanos: 0n }),
    ]
  ) assert.throws(write, ExportTooLarge);
});

Deno.test("frames of stacks that are written count, to the last that is allowed", () => {
  const tree = treeOf("main;a;b 1", "main;c 2");
  const hasValue = (node: number) => tree.selfs[node] !== 0n;
  boundedStacks(tree, hasValue, 5);
  assert.throws(() => boundedStacks(tree, hasValue, 4), ExportTooLarge);
  assert.throws(() => toCollapsed(tree, 19), ExportTooLarge);
  assert.equal(toCollapsed(tree, 20), "main;a;b 1\nmain;c 2\n");
});
