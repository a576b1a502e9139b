import assert from "node:assert/strict";
import { compactDistinct, distinctCount, distinctHash } from "@/lib/store/stats/distinct.ts";

function setOf(texts: readonly string[]): Uint8Array {
  return Uint8Array.from(texts.flatMap((text) => [...distinctHash(text)]));
}

const users = (count: number) => Array.from({ length: count }, (_, i) => `id:${i}`);

Deno.test("few texts are counted exactly, however often each occurs", () => {
  assert.equal(distinctCount(new Uint8Array(0)), 0);
  assert.equal(distinctCount(setOf([...users(255), ...users(200)])), 255);
});

Deno.test("many texts are counted to about a tenth", () => {
  for (const count of [1_000, 20_000]) {
    const found = distinctCount(compactDistinct(setOf(users(count))));
    assert.ok(Math.abs(found - count) < count / 6, `${found} of ${count}`);
  }
});

Deno.test("a compact set is small, and counts as the whole does", () => {
  const whole = setOf(users(5_000));
  const compact = compactDistinct(whole);
  assert.equal(compact.length, 1_280);
  assert.equal(distinctCount(compact), distinctCount(whole));
  assert.deepEqual(compactDistinct(compact), compact);
});

Deno.test("sets written one behind the other are their union", () => {
  const union = [...setOf(users(100)), ...setOf(users(150))];
  assert.equal(distinctCount(Uint8Array.from(union)), 150);
});

Deno.test("the smallest hashes are kept in order, whatever the order and number of all of them", () => {
  for (const count of [0, 1, 255, 256, 257, 767, 768, 769, 3_000]) {
    const texts = users(count);
    const hashes = texts.map((text) => distinctHash(text).toHex()).sort().slice(0, 256);
    for (const some of [texts, texts.toReversed(), [...texts, ...texts]]) {
      assert.equal(compactDistinct(setOf(some)).toHex(), hashes.join(""), `${count}`);
    }
  }
});
