import assert from "node:assert/strict";
import fc from "fast-check";
import { RowIndex } from "@/lib/formats/pprof/encode.ts";

/** Of a few numbers, so that many rows are the same, or nearly: beyond 32 bits as well. */
const row = fc.array(fc.constantFrom(0, 1, 2, 2 ** 31, 2 ** 32, 2 ** 32 + 1, 2 ** 53 - 1), {
  maxLength: 4,
});

Deno.test("rows are numbered as they come, equal ones alike", () => {
  fc.assert(fc.property(fc.array(row, { maxLength: 600 }), (rows) => {
    const index = new RowIndex();
    const expected = new Map<string, number>();
    for (const each of rows) {
      const key = each.join();
      if (!expected.has(key)) expected.set(key, expected.size + 1);
      assert.equal(index.numberOf(each), expected.get(key));
      assert.equal(index.count, expected.size);
    }
  }));
});

Deno.test("rows are found again however many there are", () => {
  const index = new RowIndex();
  const numbers = Array.from({ length: 50_000 }, (_, i) => index.numberOf([i, 7, i % 3]));
  assert.deepEqual(numbers, Array.from({ length: 50_000 }, (_, i) => i + 1));
  for (const i of [0, 1, 31_999, 49_999]) assert.equal(index.numberOf([i, 7, i % 3]), i + 1);
});
