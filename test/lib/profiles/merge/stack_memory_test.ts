import assert from "node:assert/strict";
import { StackMemory } from "@/lib/profiles/merge/merge_groups.ts";
import { decodePprof } from "@/lib/formats/pprof/decode.ts";
import { StackBuilder } from "@/lib/profiles/trees/stack_builder.ts";
import { pprofBytes } from "@/test/support/pprof.ts";
import { CPU } from "@/test/support/profiled_project.ts";

function someStacks() {
  const builder = new StackBuilder([CPU]);
  builder.add(decodePprof(pprofBytes()).profile);
  return builder.build();
}

Deno.test("what was used least of late is forgotten when there is no more room", () => {
  const stacks = someStacks();
  const room = stacks.parents.length * 16 + stacks.frames.length * 200;
  const memory = new StackMemory(2 * room);
  memory.set("a", stacks);
  memory.set("b", stacks);
  memory.set("b", stacks);
  assert.equal(memory.get("a"), stacks);
  memory.set("c", stacks);
  assert.deepEqual(["a", "b", "c"].map((key) => memory.get(key) === stacks), [true, false, true]);
});

Deno.test("what is larger than all of the memory is not kept", () => {
  const memory = new StackMemory(10);
  memory.set("a", someStacks());
  assert.equal(memory.get("a"), undefined);
});

Deno.test("long names take their room", () => {
  const stacks = someStacks();
  const [root, ...frames] = stacks.frames;
  const long = frames.map((frame) => ({ ...frame, name: frame.name.padEnd(2_000) }));
  const memory = new StackMemory(4_000 * long.length);
  memory.set("a", { ...stacks, frames: root === undefined ? long : [root, ...long] });
  assert.equal(memory.get("a"), undefined);
});
