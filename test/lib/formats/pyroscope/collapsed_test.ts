import assert from "node:assert/strict";
import { collapsedToPprof, countedAs } from "@/lib/formats/pyroscope/collapsed.ts";
import { decodePprof } from "@/lib/formats/pprof/decode.ts";
import { Refusal } from "@/lib/core/refusal.ts";

const FORM = { counted: countedAs("", "", 100), hasCounts: true, from: null, until: null };
const toPprof = (text: string, form: Partial<typeof FORM> = {}) =>
  collapsedToPprof(new TextEncoder().encode(text), { ...FORM, ...form });

/** Stacks as text again, the outermost function first, with their values. */
function stacksOf(bytes: Uint8Array): string[] {
  const { samples, locations, functions, strings, sampleTypes } = decodePprof(bytes).profile;
  return Array.from({ length: samples.count }, (_, sample) => {
    const places = samples.locations.subarray(samples.starts[sample], samples.starts[sample + 1]);
    const names = [...places].reverse().map((place) => {
      const name = functions.names[locations.lineFunctions[locations.lineStarts[place] ?? 0] ?? 0];
      return strings[name ?? 0];
    });
    const from = sample * sampleTypes.length;
    const values = [...samples.values.subarray(from, from + sampleTypes.length)];
    return `${names.join(";")} ${values.join(" ")}`;
  });
}

Deno.test("the count follows the last blank of a line", async () => {
  assert.deepEqual(stacksOf(await toPprof("a;read all of it 7\r\n\n b;c\t2 \n")), [
    "a;read all of it 7 70000000",
    "b;c 2 20000000",
  ]);
});

Deno.test("lines without counts are seen once each", async () => {
  assert.deepEqual(stacksOf(await toPprof("a;b 3\na", { hasCounts: false })), [
    "a;b 3 1 10000000",
    "a 1 10000000",
  ]);
});

Deno.test("counts that no sum could hold are the largest that one can", async () => {
  assert.deepEqual(stacksOf(await toPprof("a 999999999999999999")), [
    `a ${(2n ** 63n - 1n) / 10_000_000n} ${(2n ** 63n - 1n) / 10_000_000n * 10_000_000n}`,
  ]);
});

Deno.test("a line without a count is named, and too many are refused", async () => {
  await assert.rejects(() => toPprof("a 1\nb\nc 1"), { message: /^Line 2 / });
  for (
    const text of [
      "\n".repeat(400_001),
      "a 1\n".repeat(200_001),
      `${"a;".repeat(2_047)}a 1\n`.repeat(5_000),
    ]
  ) {
    await assert.rejects(
      () => toPprof(text),
      (error) => error instanceof Refusal && error.status === 413,
    );
  }
});

Deno.test("deep stacks keep their outermost functions", async () => {
  const names = Array.from({ length: 3_000 }, (_, depth) => `f${depth}`);
  const [stack = ""] = stacksOf(await toPprof(`${names.join(";")} 1`));
  assert.ok(stack.startsWith("f0;f1;") && stack.includes(";f2047 "));
});

Deno.test("others get their turn while a large profile is read", async () => {
  let turns = 0;
  const timer = setInterval(() => turns++, 1);
  const lines = Array.from({ length: 100_000 }, (_, line) => `main;work;f${line} 1`).join("\n");
  await toPprof(lines);
  clearInterval(timer);
  assert.ok(turns >= 3, `${turns} turns`);
});
