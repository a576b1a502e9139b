import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { createZstdCompress, zstdDecompressSync } from "node:zlib";
import { compressorOf, zstd } from "@/lib/core/zstd.ts";

/** More than the compressor that is kept takes. */
const LARGE = 140 * 1024;

function words(bytes: number, seed: number): Buffer {
  const text = Array.from({ length: bytes / 8 }, (_, index) => `word${(index * seed) % 997} `);
  return Buffer.from(text.join("")).subarray(0, bytes);
}

/** In pieces, as `getRandomValues` takes them. */
function noise(bytes: number): Buffer {
  const pieces = Array.from(
    { length: Math.ceil(bytes / 65_536) },
    () => crypto.getRandomValues(new Uint8Array(65_536)),
  );
  return Buffer.concat(pieces).subarray(0, bytes);
}

Deno.test("what is compressed one after the other is read one by one, of every size and kind", () => {
  const sizes = [0, 1, 100, 12_000, 65_536, 65_537, 128 * 1024, LARGE];
  const plain = sizes.flatMap((bytes) => [words(bytes, 7), noise(bytes), words(bytes, 13)]);
  const packed = plain.map((bytes) => zstd(bytes));
  packed.forEach((bytes, index) => {
    assert.ok(zstdDecompressSync(bytes).equals(plain[index] ?? Buffer.alloc(0)), `${index}`);
  });
});

Deno.test("what was compressed before changes nothing", () => {
  const payload = words(12_000, 7);
  const first = zstd(payload);
  zstd(noise(100_000));
  zstd(words(100_000, 7));
  assert.ok(zstd(payload).equals(first));
});

Deno.test("bytes in the middle of others are compressed alone", () => {
  const around = words(20_000, 7);
  assert.ok(
    zstdDecompressSync(zstd(around.subarray(3_000, 9_000))).equals(around.subarray(3_000, 9_000)),
  );
});

Deno.test("payloads take as few bytes as with a compressor that knows how much is coming", () => {
  for (const bytes of [2_000, 12_000, 60_000, 130_000]) {
    const plain = words(bytes, 31);
    // Another level than the one that keeps its compressor: no worse than what costs more.
    const known = zstd(plain, 2).length;
    assert.ok(zstd(plain).length <= known * 1.05 + 16, `${bytes}`);
  }
});

Deno.test("a stream that is made otherwise, or returns something else, is not kept", () => {
  const otherwise = Object.assign(createZstdCompress(), { _handle: null });
  assert.equal(compressorOf(otherwise), null);

  const wrong = createZstdCompress();
  const state: unknown = Reflect.get(wrong, "_writeState");
  assert.ok(state instanceof Uint32Array);
  const writeSync = () => state.set([1_000, 0]);
  Object.assign(wrong, { _handle: { reset() {}, writeSync } });
  assert.throws(() => compressorOf(wrong));

  assert.notEqual(compressorOf(createZstdCompress()), null);
});
