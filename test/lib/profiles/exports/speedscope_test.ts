import assert from "node:assert/strict";
import { timeOrderSpeedscope, toSpeedscope } from "@/lib/profiles/exports/stack_files.ts";
import { profileOf, SAMPLES, treeOf } from "../trees/profiles.ts";

Deno.test("a tree is one profile of stacks with weights, the outermost function first", () => {
  const json = JSON.parse(toSpeedscope(treeOf("main;read@a.go 3", "main 4"), "shop"));
  assert.equal(json.$schema, "https://www.speedscope.app/file-format-schema.json");
  assert.deepEqual(json.shared.frames, [{ name: "main" }, { name: "read", file: "a.go" }]);
  assert.deepEqual(json.profiles, [{
    type: "sampled",
    name: "shop cpu",
    unit: "nanoseconds",
    startValue: 0,
    endValue: 7,
    samples: [[0], [0, 1]],
    weights: [4, 3],
  }]);
});

Deno.test("units are those that speedscope knows", () => {
  const unit = (type: string, unit: string) => {
    const tree = { ...treeOf("a 3"), type: { type, unit } };
    const [profile] = JSON.parse(toSpeedscope(tree, "x")).profiles;
    return [profile.unit, profile.weights[0]];
  };
  assert.deepEqual(unit("cpu", "microseconds"), ["nanoseconds", 3_000]);
  assert.deepEqual(unit("space", "kilobytes"), ["bytes", 3_072]);
  assert.deepEqual(unit("space", "bytes"), ["bytes", 3]);
  assert.deepEqual(unit("samples", "count"), ["none", 3]);
  assert.deepEqual(unit("x", "parrots"), ["none", 3]);
});

Deno.test("values below zero, which speedscope refuses, are left out", () => {
  const [profile] = JSON.parse(toSpeedscope(treeOf("a 3", "b -4"), "x")).profiles;
  assert.deepEqual([profile.weights, profile.endValue], [[3], 3]);
});

Deno.test("in order of time every thread is a profile, breaks are empty stacks", () => {
  const sample = (stack: string, at: number, thread: string) => ({
    stack,
    value: [1n, 10n],
    labels: [
      { key: "thread_id", text: thread },
      { key: "thread_name", text: thread === "1" ? "main" : "" },
      { key: "offset", number: BigInt(at), unit: "nanoseconds" },
    ],
  });
  const wall = { type: "wall", unit: "nanoseconds" };
  const profile = profileOf([
    sample("a;b", 5, "1"),
    sample("a", 15, "1"),
    sample("a", 40, "1"),
    sample("c", 0, "2"),
  ], { sampleTypes: [SAMPLES, wall] });
  const { profiles, shared } = JSON.parse(timeOrderSpeedscope(profile, wall, "shop"));
  assert.deepEqual(shared.frames.map(({ name }: { name: string }) => name), ["a", "b", "c"]);
  assert.deepEqual(profiles[0], {
    type: "sampled",
    name: "main",
    unit: "nanoseconds",
    startValue: 5,
    endValue: 50,
    samples: [[0, 1], [0], [], [0]],
    weights: [10, 10, 15, 10],
  });
  assert.equal(profiles[1].name, "thread 2");
});
