import assert from "node:assert/strict";
import type { Frame } from "@/lib/formats/sentry/normalized_event.ts";
import { normalized } from "./decode.ts";

function frames(sent: unknown): Frame[] | undefined {
  return normalized({ stacktrace: { frames: sent } }).stacktrace?.frames;
}

function frame(sent: unknown): Frame {
  const [only] = frames([sent]) ?? [];
  assert.ok(only);
  return only;
}

Deno.test("a stack keeps its frames in order and drops those that say nothing", () => {
  const sent = [{ function: "a" }, null, {}, "x", 1, { function: "b" }];
  assert.deepEqual(frames(sent), [{ function: "a" }, { function: "b" }]);
  for (const nothing of [null, [], {}, "x", [null], [{}]]) assert.equal(frames(nothing), undefined);
  for (const stacktrace of [null, [], "x", {}]) {
    assert.equal(normalized({ stacktrace }).stacktrace, undefined);
  }
});

Deno.test("a frame's numbers and flags may come as text", () => {
  assert.deepEqual(frame({ function: "f", lineno: "12", colno: 3.7, in_app: "true" }), {
    function: "f",
    lineno: 12,
    colno: 3,
    in_app: true,
  });
  assert.deepEqual(frame({ function: "f", lineno: -1, colno: "x", in_app: null }), {
    function: "f",
  });
});

Deno.test("a frame's function ? is none", () => {
  assert.deepEqual(frame({ function: "?", lineno: 1 }), { lineno: 1 });
});

Deno.test("a frame's file name and path help each other out", () => {
  assert.deepEqual(frame({ abs_path: "/a/b.py" }), { abs_path: "/a/b.py", filename: "/a/b.py" });
  assert.deepEqual(frame({ filename: "b.py", abs_path: "/a/b.py" }), {
    filename: "b.py",
    abs_path: "/a/b.py",
  });
  assert.deepEqual(frame({ filename: "https://h/x/a.js?v=1#f" }), {
    filename: "/x/a.js",
    abs_path: "https://h/x/a.js?v=1#f",
  });
  assert.deepEqual(frame({ filename: "app:///a.js" }), {
    filename: "/a.js",
    abs_path: "app:///a.js",
  });
  assert.deepEqual(frame({ filename: "https://h" }), {
    filename: "https://h",
    abs_path: "https://h",
  });
});

Deno.test("source around a frame keeps the place of missing lines and is cut to 512 characters", () => {
  const { pre_context, context_line } = frame({
    pre_context: ["a", null, 3, {}],
    context_line: "x".repeat(18_000),
    post_context: [],
  });
  assert.deepEqual(pre_context, ["a", "", "3", ""]);
  assert.equal(context_line?.length, 512);
  assert.ok(context_line.endsWith("..."));
});

Deno.test("a frame's variables may be a list", () => {
  assert.deepEqual(frame({ function: "f", vars: ["a", { b: 1 }] }).vars, { 0: "a", 1: { b: 1 } });
  assert.equal(frame({ function: "f", vars: [] }).vars, undefined);
});

Deno.test("addresses are texts, numbers in hex", () => {
  assert.equal(frame({ instruction_addr: 4096 }).instruction_addr, "0x1000");
  assert.equal(frame({ instruction_addr: "0xdead" }).instruction_addr, "0xdead");
});

Deno.test("of 10,000 frames the 50 oldest and the 200 newest are kept", () => {
  const sent = Array.from({ length: 10_000 }, (_, i) => ({ function: `f${i}` }));
  const { stacktrace } = normalized({ stacktrace: { frames: sent } });
  assert.equal(stacktrace?.frames.length, 250);
  assert.deepEqual(stacktrace.frames.map(({ function: name }) => name).slice(48, 52), [
    "f48",
    "f49",
    "f9800",
    "f9801",
  ]);
  assert.equal(stacktrace.frames.at(-1)?.function, "f9999");
  assert.deepEqual(stacktrace.frames_omitted, [50, 9_800]);
});

Deno.test("a deep stack keeps source and variables at both ends only", () => {
  const sent = Array.from({ length: 60 }, (_, i) => ({
    function: `f${i}`,
    vars: { a: 1 },
    pre_context: ["x"],
    context_line: "y",
    post_context: ["z"],
  }));
  const kept = frames(sent)?.map(({ vars, pre_context }) => Boolean(vars && pre_context)) ?? [];
  assert.deepEqual(kept, sent.map((_, i) => i < 25 || i >= 35));
  assert.ok(frames(sent)?.every(({ context_line }) => context_line === "y"));
});
