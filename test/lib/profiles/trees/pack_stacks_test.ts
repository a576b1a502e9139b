import assert from "node:assert/strict";
import { deflateSync, inflateSync } from "node:zlib";
import fc from "fast-check";
import { packStacks, unpackStacks } from "@/lib/profiles/trees/pack_stacks.ts";
import { CPU, profileOf, SAMPLES, signedLines, stacksOf } from "./profiles.ts";

const INT64 = { min: -(2n ** 63n), max: 2n ** 63n - 1n };

Deno.test("unpacked stacks are those that were packed", () => {
  fc.assert(fc.property(signedLines, (lines) => {
    const stacks = stacksOf([CPU, SAMPLES], profileOf(lines, { durationNanos: 5n }));
    assert.deepEqual(unpackStacks(packStacks(stacks)), stacks);
  }));
});

Deno.test("all that is known of frames and all of int64 is kept", () => {
  fc.assert(fc.property(fc.array(fc.bigInt(INT64), { minLength: 3, maxLength: 3 }), (values) => {
    const stacks = {
      types: [CPU],
      frames: [
        { name: "root", file: "", module: "", line: 0, isInApp: null },
        { name: "größe 🔥", file: "a.go", module: "m", line: 2 ** 31, isInApp: true },
        { name: "\ufeffb", file: "a.go", module: "", line: 7, isInApp: false },
      ],
      parents: Uint32Array.of(0, 0, 1),
      nodeFrames: Uint32Array.of(0, 1, 2),
      selfs: [BigInt64Array.from(values)],
      profiles: 12,
      durationNanos: 3n * 2n ** 61n,
    };
    assert.deepEqual(unpackStacks(packStacks(stacks)), stacks);
  }));
});

Deno.test("damaged or unknown bytes are refused", () => {
  const stacks = stacksOf([CPU], profileOf([{ stack: "a;b;c", value: 5n }]));
  const bytes = packStacks(stacks);
  for (let length = 0; length < bytes.length; length++) {
    assert.throws(() => unpackStacks(bytes.subarray(0, length)), Error);
    const wrong = Uint8Array.from(bytes, (byte, at) => at === length ? byte ^ 0x55 : byte);
    assert.throws(() => unpackStacks(wrong), Error);
  }
  const repacked = (raw: Uint8Array) => Uint8Array.of(1, ...deflateSync(raw));
  const raw = inflateSync(bytes.subarray(1));
  assert.deepEqual(unpackStacks(repacked(raw)), stacks);
  assert.throws(() => unpackStacks(repacked(Uint8Array.of(...raw, 0))), /damaged/);
  assert.throws(() => unpackStacks(repacked(raw.subarray(1))), /damaged/);
  assert.throws(() => unpackStacks(Uint8Array.of(9, 1, 2)), /version 9/);
});
