import assert from "node:assert/strict";
import { decodePprof } from "@/lib/formats/pprof/decode.ts";
import { repairsInWords } from "@/lib/formats/pprof/faults.ts";
import {
  joined,
  msg,
  num,
  packed,
  sample,
  sampleTypes,
  strings,
  tables,
  text,
} from "./messages.ts";

const NOW = 1_795_000_000n;

function decoded(...parts: Uint8Array[]) {
  return decodePprof(joined(...parts));
}

Deno.test("damaged samples are left out when they are the lesser part", () => {
  const { profile, repairs } = decoded(
    tables,
    msg(4, num(1, 9), msg(4, num(1, 1)), msg(4, num(1, 99))),
    sample([2, 1], msg(3, num(1, 5), num(2, 7))),
    sample([1, 50], msg(3, num(1, 5), num(2, 6))),
    sample([1], msg(3, num(1, 5), num(2, 4))),
    sample([9]),
    sample([2]),
    msg(2, packed(1, [1, 2]), packed(2, [3])),
  );
  assert.deepEqual([...profile.samples.locations], [1, 0, 0, 1]);
  assert.deepEqual([...profile.samples.starts], [0, 2, 3, 4]);
  assert.deepEqual([...profile.samples.values], [1n, 10n, 1n, 10n, 1n, 10n]);
  assert.deepEqual([...profile.samples.labels.starts], [0, 1, 2, 2]);
  assert.deepEqual([...profile.samples.labels.texts], [7, 4]);
  assert.equal(profile.locations.lineStarts[3], 2);
  assert.equal(repairs.droppedSamples, 3);
  assert.deepEqual(repairsInWords(repairs), [
    "3 samples left out: sample 2 refers to location 50, which is not in the profile",
  ]);
});

Deno.test("functions without ids belong to the locations in order, as old .NET profilers write them", () => {
  const dotnet = joined(
    sampleTypes,
    strings,
    msg(4, num(1, 1), msg(4, num(2, 3))),
    msg(4, num(1, 2), msg(4, num(2, 4))),
    msg(5, num(2, 5)),
    msg(5, num(2, 7)),
    sample([2, 1]),
  );
  const { profile, repairs } = decoded(dotnet);
  assert.deepEqual([...profile.locations.lineFunctions], [0, 1]);
  assert.deepEqual([...profile.functions.names], [5, 7]);
  assert.equal(repairs.pairedFunctions, true);
  assert.throws(() => decoded(dotnet, msg(5, num(2, 5))), /location 2, which refers to function 0/);
});

Deno.test("stacks keep their root when they are too deep", () => {
  const deep = [2, ...Array<number>(3_000).fill(1), 2];
  const { profile, repairs } = decoded(tables, sample(deep), sample([2, 1]));
  assert.deepEqual([...profile.samples.starts], [0, 2_048, 2_050]);
  assert.deepEqual([...profile.samples.locations.subarray(0, 2)], [0, 0]);
  assert.deepEqual([...profile.samples.locations.subarray(2_047)], [1, 1, 0]);
  assert.deepEqual(repairsInWords(repairs), ["1 stack cut to the outermost frames"]);
});

Deno.test("labels without a name and beyond a hundred are left out", () => {
  const labels = Array.from({ length: 102 }, (_, n) => msg(3, num(1, 5), num(3, n)));
  const { profile, repairs } = decoded(
    tables,
    sample([1], msg(3), ...labels),
    sample([1], msg(3, num(1, 5))),
  );
  assert.deepEqual([...profile.samples.labels.starts], [0, 99, 100]);
  assert.equal(repairs.droppedLabels, 4);
});

Deno.test("very long texts keep their end, without half a character", () => {
  const { profile, repairs } = decoded(tables, text(6, "é".repeat(50_000) + ".end"));
  const last = profile.strings.at(-1) ?? "";
  assert.match(last, /^é+\.end$/);
  assert.equal(new TextEncoder().encode(last).length, 65_534);
  assert.equal(repairs.cutTexts, 1);
});

Deno.test("times in microseconds, milliseconds and seconds become nanoseconds", () => {
  for (const scale of [1n, 1_000n, 1_000_000n]) {
    const { profile, repairs } = decoded(tables, num(9, NOW * scale));
    assert.equal(profile.timeNanos, NOW * 10n ** 9n);
    assert.equal(repairs.scaledTime, true);
  }
  for (const nanos of [NOW * 10n ** 9n, 0n, 5n]) {
    const { profile, repairs } = decoded(tables, num(9, nanos));
    assert.equal(profile.timeNanos, nanos);
    assert.equal(repairs.scaledTime, false);
  }
  assert.equal(decoded(tables, num(9, -5)).profile.timeNanos, 0n);
});

Deno.test("impossible durations are none", () => {
  const day = 86_400n * 10n ** 9n;
  for (
    const [nanos, kept] of [[day, day], [day + 1n, 0n], [-1n, 0n], [
      1_700_000_000n * 10n ** 9n,
      0n,
    ]] as const
  ) {
    const { profile, repairs } = decoded(tables, num(10, nanos));
    assert.equal(profile.durationNanos, kept);
    assert.equal(repairs.ignoredDuration, nanos !== kept);
  }
});
