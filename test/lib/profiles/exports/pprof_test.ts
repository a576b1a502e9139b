import assert from "node:assert/strict";
import fc from "fast-check";
import { decodePprof } from "@/lib/formats/pprof/decode.ts";
import { callTree } from "@/lib/profiles/trees/call_tree.ts";
import { toPprof } from "@/lib/profiles/exports/stack_files.ts";
import type { StackProfile } from "@/lib/profiles/trees/stacks.ts";
import { topFunctions } from "@/lib/profiles/trees/top_functions.ts";
import { contentOf, CPU, profileOf, SAMPLES, signedLines, stacksOf } from "../trees/profiles.ts";

const HEAD = { timeNanos: 1_790_000_000_000_000_000n, periodType: CPU, period: 10_000_000n };

function readBack(stacks: StackProfile): StackProfile {
  return stacksOf(stacks.types, decodePprof(toPprof(stacks, HEAD)).profile);
}

Deno.test("stacks written and read back are the same", () => {
  fc.assert(fc.property(signedLines, (lines) => {
    const profile = profileOf(lines.map(({ stack, value }) => ({ stack, value: [1n, value] })), {
      sampleTypes: [SAMPLES, CPU],
    });
    const stacks = stacksOf([SAMPLES, CPU], profile);
    assert.deepEqual(contentOf(readBack(stacks)), contentOf(stacks));
  }));
});

Deno.test("what is known of functions and of the profile stays known", () => {
  const stacks: StackProfile = {
    types: [CPU],
    frames: [
      { name: "root", file: "", module: "", line: 0, isInApp: null },
      { name: "view", file: "/app/shop/views.py", module: "shop.views", line: 12, isInApp: true },
      { name: "get", file: "/lib/x.py", module: "a/b.c", line: 0, isInApp: false },
      { name: "other", file: "", module: "", line: 3, isInApp: null },
    ],
    parents: Uint32Array.of(0, 0, 1, 2),
    nodeFrames: Uint32Array.of(0, 1, 2, 3),
    selfs: [BigInt64Array.of(0n, 0n, 0n, 5n)],
    profiles: 1,
    durationNanos: 7n,
  };
  assert.deepEqual(readBack(stacks), stacks);
  const { profile } = decodePprof(toPprof(stacks, { ...HEAD, defaultSampleType: "cpu" }));
  assert.equal(profile.timeNanos, HEAD.timeNanos);
  assert.deepEqual([profile.periodType, profile.period], [CPU, HEAD.period]);
  assert.equal(profile.defaultSampleType, "cpu");
});

Deno.test({
  name: "Go's pprof finds the same values",
  ignore: !(await hasGo()),
  async fn() {
    const stack = (at: number) =>
      Array.from({ length: 1 + at % 6 }, (_, level) => `main.f${(at * level * 7) % 11}`).join(";");
    const lines = Array.from({ length: 200 }, (_, at) => ({
      stack: stack(at),
      value: BigInt(1 + at * at) * 10_000_019n,
    }));
    const stacks = stacksOf([CPU], profileOf(lines));
    const file = await Deno.makeTempFile({ suffix: ".pb" });
    await Deno.writeFile(file, toPprof(stacks, HEAD));
    const own = topFunctions(callTree(stacks, CPU))
      .map(({ frame, self, total }) => `${self} ${total} ${frame.name}`).sort();
    assert.deepEqual(await goTop(file), own);
    await Deno.remove(file);
  },
});

/** Lines of `flat cum name`, in nanoseconds. */
async function goTop(file: string): Promise<string[]> {
  const { stdout } = await new Deno.Command("go", {
    args: ["tool", "pprof", "-top", "-nodecount=0", "-nodefraction=0", "-unit=ns", file],
    env: { PPROF_TMPDIR: "/tmp" },
  }).output();
  const row = /^\s*(\d+)(?:ns)?\s+\S+%?\s+\S+%\s+(\d+)(?:ns)?\s+\S+%\s+(.+)$/;
  return new TextDecoder().decode(stdout).split("\n").flatMap((line) => {
    const [, flat, cum, name] = row.exec(line) ?? [];
    return name === undefined ? [] : [`${flat} ${cum} ${name}`];
  }).sort();
}

async function hasGo(): Promise<boolean> {
  try {
    return (await new Deno.Command("go", { args: ["version"], stdout: "null" }).output()).success;
  } catch {
    return false;
  }
}
