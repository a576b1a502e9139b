import assert from "node:assert/strict";
import fc from "fast-check";
import { decodePprof } from "@/lib/formats/pprof/decode.ts";
import { PprofBuilder } from "@/lib/formats/pprof/encode.ts";
import { StackBuilder } from "@/lib/profiles/trees/stack_builder.ts";
import { callTree } from "@/lib/profiles/trees/call_tree.ts";
import {
  contentOf,
  CPU,
  profileOf,
  sampleLines,
  SAMPLES,
  signedLines,
  stacksOf,
} from "./profiles.ts";

const HEAD = { sampleTypes: [CPU], timeNanos: 0n, durationNanos: 0n };

Deno.test("samples of the same stack are added up, whatever their labels", () => {
  const profile = profileOf([
    { stack: "main;read", value: 1n, labels: [{ key: "trace_id", text: "a" }] },
    { stack: "main;read", value: 2n, labels: [{ key: "thread_id", text: "7" }] },
    { stack: "main", value: 4n },
    { stack: "main;read;wait", value: 8n },
  ]);
  assert.deepEqual(contentOf(stacksOf([CPU], profile)), {
    "": "0",
    "main": "4",
    "main;read": "3",
    "main;read;wait": "8",
  });
});

Deno.test("an empty stack counts as one without frames", () => {
  const stacks = stacksOf([CPU], profileOf([{ stack: "", value: 5n }, { stack: "a", value: 1n }]));
  assert.deepEqual(contentOf(stacks), { "": "0", "<no stack>": "5", "a": "1" });
});

Deno.test("inlined functions stand inside the one that they were inlined into", () => {
  const builder = new PprofBuilder(HEAD);
  const line = (name: string) => ({ function: builder.function(name, ""), line: 1, column: 0 });
  const leaf = builder.location([line("innermost"), line("inlined"), line("real")]);
  builder.sample([leaf, builder.location([line("main")])], [1n]);
  const stacks = stacksOf([CPU], decodePprof(builder.toBytes()).profile);
  assert.deepEqual(Object.keys(contentOf(stacks)).at(-1), "main;real;inlined;innermost");
});

Deno.test("functions of the same name in different files are two", () => {
  const profile = profileOf([{ stack: "f@a.go", value: 1n }, { stack: "f@b.go", value: 2n }]);
  assert.deepEqual(contentOf(stacksOf([CPU], profile)), { "": "0", "f@a.go": "1", "f@b.go": "2" });
});

Deno.test("what has no name is named by what is known", () => {
  const builder = new PprofBuilder(HEAD);
  const add = (id: number) =>
    builder.sample([builder.location([{ function: id, line: 3, column: 0 }])], [1n]);
  add(builder.function("", "", { systemName: "_ZN3foo" }));
  add(builder.function("", "lib.c", { systemName: "" }));
  add(builder.function("", "", { systemName: "" }));
  const names = stacksOf([CPU], decodePprof(builder.toBytes()).profile).frames.map(({ name }) =>
    name
  );
  assert.deepEqual(names.slice(1).sort(), ["<unknown>", "_ZN3foo", "lib.c"]);
});

Deno.test("what is not symbolised is named by its binary and address", () => {
  const builder = new PprofBuilder(HEAD);
  const binary = builder.mapping("/usr/lib/libc.so.6");
  const address = 0xffffffff8100abcdn;
  builder.sample([builder.location([], { mapping: binary, address: 0x1234n })], [1n]);
  builder.sample([builder.location([], { mapping: builder.mapping("[kernel]"), address })], [1n]);
  builder.sample([builder.location([], { address: 0x99n })], [1n]);
  const { frames } = stacksOf([CPU], decodePprof(builder.toBytes()).profile);
  assert.deepEqual(frames.slice(1).map(({ name, module }) => [name, module]), [
    ["[libc.so.6] 0x1234", "libc.so.6"],
    ["[kernel] 0xffffffff8100abcd", "[kernel]"],
    ["0x99", ""],
  ]);
});

Deno.test("a place in a library that is moved about in memory has one name in all processes", () => {
  const profile = (start: bigint) => {
    const builder = new PprofBuilder(HEAD);
    const mapping = builder.mapping("/lib/libc.so");
    builder.sample([builder.location([], { mapping, address: start + 0x500n })], [1n]);
    const { profile } = decodePprof(builder.toBytes());
    profile.mappings.starts[0] = start;
    profile.mappings.limits[0] = start + 0x10000n;
    profile.mappings.offsets[0] = 0x1000n;
    return profile;
  };
  const stacks = stacksOf([CPU], profile(0x7f0000000000n), profile(0x7f1234560000n));
  assert.deepEqual(contentOf(stacks), { "": "0", "[libc.so] 0x1500": "2" });
  // A program that is always at the same place keeps its addresses.
  assert.ok("[libc.so] 0x400500" in contentOf(stacksOf([CPU], profile(0x400000n))));
});

Deno.test("modules are names of binaries, or what SDKs say", () => {
  const profile = (comments: string[]) => {
    const builder = new PprofBuilder({ ...HEAD, comments });
    const line = { function: builder.function("f", "f.py"), line: 9, column: 0 };
    const mapping = builder.mapping("shop/cart.views", "app");
    builder.sample([builder.location([line], { mapping })], [1n]);
    return stacksOf([CPU], decodePprof(builder.toBytes()).profile).frames[1];
  };
  const frame = { name: "f", file: "f.py", line: 9 };
  assert.deepEqual(profile([]), { ...frame, module: "cart.views", isInApp: null });
  assert.deepEqual(profile(["watchpost:sdk"]), {
    ...frame,
    module: "shop/cart.views",
    isInApp: true,
  });
});

Deno.test("types are found by name; units are scaled to the finer one, whichever comes first", () => {
  const nanos = profileOf([{ stack: "a", value: 5n }]);
  const micros = profileOf([{ stack: "a", value: 7n }], {
    sampleTypes: [{ type: "cpu", unit: "microseconds" }],
  });
  for (const [first, second] of [[nanos, micros], [micros, nanos]] as const) {
    const builder = new StackBuilder([first.sampleTypes[0] ?? CPU]);
    builder.add(first);
    builder.add(second);
    const stacks = builder.build();
    assert.deepEqual(stacks.types, [CPU]);
    assert.deepEqual(contentOf(stacks), { "": "0", "a": "7005" });
    assert.deepEqual(contentOf(stacksOf([CPU], first, second)), { "": "0", "a": "7005" });
  }
  const kilobytes = profileOf([{ stack: "a", value: 3n }], {
    sampleTypes: [{ type: "inuse_space", unit: "kilobytes" }],
  });
  const bytes = { type: "inuse_space", unit: "bytes" };
  assert.deepEqual(contentOf(stacksOf([bytes], kilobytes)), { "": "0", "a": "3072" });
});

Deno.test("a type that a profile lacks counts 0, and one that nobody asked for is left out", () => {
  const both = profileOf([{ stack: "a", value: [1n, 10n] }, { stack: "b", value: [0n, 9n] }], {
    sampleTypes: [{ type: "sample", unit: "count" }, { type: "wall", unit: "nanoseconds" }],
  });
  const stacks = stacksOf([SAMPLES, CPU], both, profileOf([{ stack: "a", value: 5n }]));
  assert.deepEqual(contentOf(stacks), { "": "0 0", "a": "1 5" });
});

Deno.test("the time of samples that are only counted is worked out", () => {
  const profile = profileOf([{ stack: "a", value: 3n }], {
    sampleTypes: [SAMPLES],
    periodType: CPU,
    period: 10_000_000n,
  });
  assert.deepEqual(contentOf(stacksOf([CPU], profile)), { "": "0", "a": "30000000" });
});

Deno.test("sums beyond what a Number holds are exact", () => {
  const large = 2n ** 60n + 1n;
  const profile = profileOf([{ stack: "a", value: large }, { stack: "b", value: -3n }]);
  const tree = callTree(stacksOf([CPU], profile, profile, profile), CPU);
  assert.equal(tree.totals[0], 3n * large - 9n);
});

Deno.test("what is taken away leaves nothing of what was added", () => {
  const first = profileOf([{ stack: "a;b", value: 5n }, { stack: "a", value: 1n }]);
  const last = profileOf([{ stack: "a;b", value: 7n }, { stack: "a", value: 1n }]);
  const builder = new StackBuilder([CPU]);
  builder.add(last);
  builder.add(first, { weight: -1n });
  assert.deepEqual(contentOf(builder.build()), { "": "0", "a": "0", "a;b": "2" });
  builder.addStacks(stacksOf([CPU], first));
  builder.addStacks(stacksOf([CPU], last), -1n);
  assert.deepEqual(contentOf(builder.build()), { "": "0" });
});

Deno.test("profiles and their durations are counted", () => {
  const profile = profileOf([{ stack: "a", value: 1n }], { durationNanos: 10n });
  const stacks = stacksOf([CPU], profile, profile);
  const builder = new StackBuilder([CPU]);
  builder.addStacks(stacks);
  builder.add(profile);
  const { profiles, durationNanos } = builder.build();
  assert.deepEqual([profiles, durationNanos], [3, 30n]);
});

Deno.test("nodes stand behind their parents, each path once", () => {
  fc.assert(fc.property(signedLines, (lines) => {
    const stacks = stacksOf([CPU], profileOf(lines));
    stacks.parents.forEach((parent, node) => assert.ok(node === 0 || parent < node));
    assert.equal(Object.keys(contentOf(stacks)).length, stacks.parents.length);
  }));
});

Deno.test("the total of the root is the sum of all values", () => {
  fc.assert(fc.property(signedLines, (lines) => {
    const sum = lines.reduce((total, { value }) => total + value, 0n);
    assert.equal(callTree(stacksOf([CPU], profileOf(lines)), CPU).totals[0], sum);
  }));
});

Deno.test("it does not matter in which order and in which groups profiles are added", () => {
  fc.assert(fc.property(sampleLines, signedLines, sampleLines, (...lines) => {
    const [a, b, c] = lines.map((part) => profileOf(part)) as [never, never, never];
    const all = contentOf(stacksOf([CPU], a, b, c));
    assert.deepEqual(contentOf(stacksOf([CPU], c, a, b)), all);
    const grouped = new StackBuilder([CPU]);
    grouped.addStacks(stacksOf([CPU], b, c));
    grouped.addStacks(stacksOf([CPU], a));
    assert.deepEqual(contentOf(grouped.build()), all);
  }));
});
