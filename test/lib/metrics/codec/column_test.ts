import assert from "node:assert/strict";
import fc from "fast-check";
import { ByteReader, ByteWriter } from "@/lib/core/bytes.ts";
import { readColumn, writeColumn } from "@/lib/metrics/codec/columns.ts";

function bytesOf(values: readonly number[]): Uint8Array {
  const writer = new ByteWriter();
  writeColumn(writer, Float64Array.from(values));
  return writer.written().slice();
}

function roundTrip(values: readonly number[]): number[] {
  const reader = new ByteReader(bytesOf(values));
  const read = [...readColumn(reader, values.length)];
  assert.ok(reader.isAtEnd);
  return read;
}

/** -0 may become 0. */
const plain = (values: readonly number[]) => values.map((value) => value === 0 ? 0 : value);

const numbers = fc.oneof(
  fc.double({ noNaN: true }),
  fc.integer(),
  fc.maxSafeInteger(),
  fc.integer({ min: -1_000_000, max: 1_000_000 }).map((value) => value / 1_000),
  fc.constantFrom(0, -0, 1e300, -1e-300, Number.MAX_VALUE, 5e-324, 2 ** 52, -(2 ** 53), Infinity),
);

Deno.test("a list of doubles of any kind comes back as it was", () => {
  fc.assert(fc.property(fc.array(numbers, { maxLength: 50 }), (values) => {
    assert.deepEqual(plain(roundTrip(values)), plain(values));
  }));
});

Deno.test("numbers like those of real series come back as they were", () => {
  const steps = fc.array(fc.integer({ min: -50, max: 1_000 }), { minLength: 1, maxLength: 500 });
  fc.assert(fc.property(steps, fc.constantFrom(1, 10, 1_000), (increments, power) => {
    let sum = 0;
    const values = increments.map((step) => (sum += step) / power);
    assert.deepEqual(plain(roundTrip(values)), plain(values));
  }));
});

Deno.test("missing values stay missing", () => {
  for (
    const values of [[NaN], [NaN, NaN, NaN], [1, NaN, 2.5], [NaN, 1, 1, NaN, 1, 1, 1, 1, 1, NaN]]
  ) {
    assert.deepEqual(roundTrip(values), values);
  }
});

Deno.test("a list like another takes one byte", () => {
  const values = Float64Array.from([1.5, 2.25, Math.PI]);
  const writer = new ByteWriter();
  writeColumn(writer, values, values.slice());
  assert.equal(writer.length, 1);
  assert.deepEqual(readColumn(new ByteReader(writer.written()), 3, values), values);
});

Deno.test("equal steps take a byte each, equal values ten in all", () => {
  const times = Array.from({ length: 1_000 }, (_, place) => 1_763_596_800_000 + place * 15_000);
  assert.ok(bytesOf(times).length < 1_020);
  assert.ok(bytesOf(Array.from({ length: 1_000 }, () => 0.1)).length <= 10);
});
