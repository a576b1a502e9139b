import assert from "node:assert/strict";
import type { ValueType } from "@/lib/formats/pprof/profile.ts";
import {
  chartUnitOf,
  combiningWords,
  typeNames,
  valueName,
  valueTexts,
} from "@/lib/profiles/words.ts";

Deno.test("it is said how values of several profiles became one, and what was left out", () => {
  const words = (nature: "interval" | "snapshot" | "cumulative", profiles: number, left = 0) =>
    combiningWords({ nature, profiles, left });
  assert.equal(words("interval", 12), "Sum of 12 profiles.");
  assert.match(words("snapshot", 2), /^Average of 2 profiles, /);
  assert.match(words("cumulative", 3), /^Growth over 3 profiles: .*first is taken from the last/);
  assert.equal(words("interval", 1), "One profile.");
  assert.equal(words("interval", 0), "No profiles.");
  assert.match(words("cumulative", 1), /counts since its process began/);
  assert.match(words("interval", 5_000, 1_234), /1,234 more were left out: too many/);
  assert.match(words("interval", 2, 1), /1 more was left out/);
  assert.match(
    combiningWords({ nature: "interval", profiles: 2, left: 0, cut: 7 }),
    /2 profiles\. 7 stacks end early/,
  );
});

Deno.test("it is said which processes began anew, and which are in it with all they counted", () => {
  const words = (resets: number, whole: number) =>
    combiningWords({ nature: "cumulative", profiles: 9, left: 0, differences: { resets, whole } });
  assert.match(words(0, 0), /taken from the last\.$/);
  assert.match(words(1, 0), / Processes began anew 1 time\.$/);
  assert.match(
    words(2, 3),
    / 2 times\. 3 processes with a single profile are in it with all since/,
  );
  assert.match(words(0, 1), / 1 process with a single profile is in it with all since/);
});

Deno.test("values are called by what they are, with the kind where that says too little", () => {
  assert.equal(valueName("cpu", { type: "cpu", unit: "nanoseconds" }), "CPU time");
  assert.equal(valueName("cpu", { type: "samples", unit: "count" }), "CPU · Samples");
  assert.equal(valueName("mutex", { type: "delay", unit: "nanoseconds" }), "Mutexes · Delay");
  assert.equal(valueName("memory", { type: "inuse_space", unit: "bytes" }), "Memory in use");
  assert.equal(valueName("other", { type: "misses", unit: "count" }), "Other · misses");
  assert.equal(valueName("other", { type: "", unit: "" }), "Other · Values");
});

Deno.test("no two values are called the same", () => {
  const [sample, samples] = [["sample", "count"], ["samples", "count"]]
    .map(([type = "", unit = ""]) => ({ type, unit })) as [ValueType, ValueType];
  assert.deepEqual(typeNames([sample, samples, { ...samples, unit: "x" }]), [
    "Samples",
    "Samples (samples)",
    "Samples (samples:x)",
  ]);
});

Deno.test("charts have values in their own units", () => {
  assert.deepEqual(chartUnitOf("microseconds"), { unit: "duration", factor: 0.001 });
  assert.deepEqual(chartUnitOf("kilobytes"), { unit: "bytes", factor: 1024 });
  assert.deepEqual(chartUnitOf("count"), { unit: "count", factor: 1 });
});

Deno.test("values are written with their unit and exactly", () => {
  assert.deepEqual(valueTexts(1_500_000_001n, "nanoseconds"), {
    text: "1.5 s",
    exact: "1,500,000,001 ns",
  });
  assert.deepEqual(valueTexts(2n, "count"), { text: "2", exact: "2" });
});
