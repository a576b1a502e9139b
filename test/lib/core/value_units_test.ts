import { formatProfileShare, formatProfileValue, nanosecondsOf } from "@/lib/core/value_units.ts";
import assert from "node:assert/strict";

Deno.test("values are shown in the largest unit that leaves at least one", () => {
  const shown: readonly (readonly [bigint | number, string, string])[] = [
    [0n, "nanoseconds", "0 ns"],
    [999n, "nanoseconds", "999 ns"],
    [1_000n, "nanoseconds", "1 µs"],
    [1_280_000_000n, "nanoseconds", "1.28 s"],
    [-480_000_000n, "ns", "-480 ms"],
    [205_170_000_000n, "nanoseconds", "205.17 s"],
    [5_400_000_000_000n, "nanoseconds", "1.5 h"],
    [999_999n, "nanoseconds", "1 ms"],
    [1_500, "microseconds", "1.5 ms"],
    [90, "Seconds", "90 s"],
    [2, "hrs", "2 h"],
    [0.5, "nanoseconds", "0.5 ns"],
    [1023n, "bytes", "1,023 B"],
    [1024n, "bytes", "1 KiB"],
    [1_048_575n, "bytes", "1 MiB"],
    [116_044_559_690n, "bytes", "108.07 GiB"],
    [1n << 62n, "bytes", "4,096 PiB"],
    [512, "kB", "512 KiB"],
    [1_234n, "count", "1,234"],
    [9_007_199_254_740_993n, "count", "9,007,199,254,740,993"],
    [-5n, "", "-5"],
    [7, "samples", "7"],
    [3n, "contentions", "3 contentions"],
  ];
  for (const [value, unit, text] of shown) assert.equal(formatProfileValue(value, unit), text);
});

Deno.test("shares are shown as pprof shows them", () => {
  const shown: readonly (readonly [bigint | number, bigint | number, string])[] = [
    [1n, 1n, "100%"],
    [99_960, 100_000, "100%"],
    [1n, 3n, "33.33%"],
    [1n, 100n, "1.00%"],
    [1n, 300n, "0.33%"],
    [1n, 30_000_000n, "0.0000033%"],
    [0n, 5n, "0%"],
    [5n, 0n, "0%"],
    [-1n, 4n, "-25.00%"],
    [3n, 2n, "150.00%"],
  ];
  for (const [part, whole, text] of shown) assert.equal(formatProfileShare(part, whole), text);
});

Deno.test("units of time are known by all their names", () => {
  for (const unit of ["ns", "nanosecond", "Nanoseconds", "nanos"]) {
    assert.equal(nanosecondsOf(unit), 1n);
  }
  for (const unit of ["us", "µs", "\u03bcs", "microseconds"]) {
    assert.equal(nanosecondsOf(unit), 1_000n);
  }
  assert.equal(nanosecondsOf("milliseconds"), 1_000_000n);
  assert.equal(nanosecondsOf("s"), 1_000_000_000n);
  assert.equal(nanosecondsOf("bytes"), null);
  assert.equal(nanosecondsOf("count"), null);
});
