import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { constants, createGunzip, gzipSync } from "node:zlib";
import { gunzip } from "@/lib/core/inflate_engine.ts";
import { keptEngine } from "@/lib/core/kept_engine.ts";
import { waitFor } from "../../support/wait_for.ts";

const LIMIT = { maxOutputLength: 1_000_000 };

function text(bytes: number, seed: number): Buffer {
  const words = Array.from({ length: bytes / 2 + 1 }, (_, index) => `${(index * seed) % 9_973} `);
  return Buffer.from(words.join("")).subarray(0, bytes);
}

/** With other bytes from `at` on. */
function changed(bytes: Uint8Array, at: number, ...others: number[]): Uint8Array {
  const copy = Uint8Array.from(bytes);
  copy.set(others, at < 0 ? copy.length + at : at);
  return copy;
}

Deno.test("gunzip() gives back each body whatever came before it, and leaves alone what it gave before", () => {
  const plain = [0, 1, 12_000, 255_000, 256 * 1024 - 1, 256 * 1024, 300_000, 12_000, 5]
    .map((bytes, index) => text(bytes, 7 + index));
  const damaged = [
    gzipSync(text(12_000, 5)).subarray(0, 1_000),
    changed(gzipSync(text(12_000, 5)), 100, 0xff, 0, 0xff),
    // Its checksum.
    changed(gzipSync(text(12_000, 5)), -8, 1, 2, 3, 4),
    text(100, 3),
  ];
  const unpacked = plain.map((bytes, index) => {
    assert.throws(() => gunzip(damaged[index % damaged.length] ?? bytes, LIMIT));
    return gunzip(gzipSync(bytes), LIMIT);
  });
  const wrong = plain.flatMap((bytes, index) =>
    bytes.equals(unpacked[index] ?? new Uint8Array(1)) ? [] : [index]
  );
  assert.deepEqual(wrong, []);
});

Deno.test("gunzip() takes all members, and no more than the limit, whatever the last bytes say", () => {
  const one = gzipSync(text(20_000, 7));
  const two = Buffer.concat([one, gzipSync("a")]);
  assert.equal(gunzip(two, LIMIT).length, 20_001);
  assert.throws(() => gunzip(two, { maxOutputLength: 20_000 }), { code: "ERR_BUFFER_TOO_LARGE" });
  // They say one byte.
  assert.throws(() => gunzip(changed(one, -4, 1, 0, 0, 0), LIMIT));
  assert.equal(gunzip(one, { maxOutputLength: 20_000 }).length, 20_000);
  assert.throws(() => gunzip(one, { maxOutputLength: 19_999 }), { code: "ERR_BUFFER_TOO_LARGE" });
});

Deno.test("an engine takes whole inputs, each by itself, until one ends it", async () => {
  assert.equal(keptEngine(Object.assign(createGunzip(), { _handle: {} })), null);

  const stream = createGunzip();
  const engine = keptEngine(stream);
  const output = new Uint8Array(1_000);
  const whole = gzipSync(text(600, 7));
  const run = (bytes: Uint8Array) => engine?.run(bytes, constants.Z_FINISH, output);
  assert.equal(run(whole), 600);
  // It takes more than there is room for.
  assert.equal(run(gzipSync(text(1_001, 7))), null);
  assert.equal(run(whole), 600);
  // One that is cut short is not gone on with.
  assert.notEqual(run(whole.subarray(0, 100)), 600);
  assert.equal(run(whole), stream.destroyed ? null : 600);
  assert.equal(run(Buffer.concat([whole, Buffer.from("more")])), null);
  await waitFor("its end", () => stream.destroyed || null);
  assert.equal(run(whole), null);
});
