import assert from "node:assert/strict";
import fc from "fast-check";
import { ByteReader, ByteWriter, DamagedBytes } from "@/lib/core/bytes.ts";

const INT64 = { min: -(2n ** 63n), max: 2n ** 63n - 1n };
const SIGNED = { min: -(2 ** 52) + 1, max: 2 ** 52 - 1 };

Deno.test("numbers are read as they were written", () => {
  fc.assert(
    fc.property(
      fc.maxSafeNat(),
      fc.maxSafeInteger().filter((value) => value >= SIGNED.min && value <= SIGNED.max),
      fc.bigInt(INT64),
      fc.double(),
      fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
      (whole, signed, wide, double, id) => {
        const writer = new ByteWriter();
        writer.varint(whole);
        writer.signed(signed);
        writer.int64(wide);
        writer.double(double);
        writer.id(String(id));
        const reader = new ByteReader(writer.written());
        assert.deepEqual(
          [reader.varint(), reader.signed(), reader.int64(), reader.double(), reader.id()],
          [whole, signed, wide, double, String(id)],
        );
        assert.ok(reader.isAtEnd);
      },
    ),
  );
});

Deno.test("small numbers of 64 bits are written as those of 53", () => {
  for (const value of [0, -1, 1, -64, 64, SIGNED.min, SIGNED.max]) {
    const [small, wide] = [new ByteWriter(), new ByteWriter()];
    small.signed(value);
    wide.int64(BigInt(value));
    assert.deepEqual(wide.written(), small.written());
  }
});

Deno.test("numbers without an end are refused", () => {
  for (const bytes of [new Uint8Array(400).fill(128), new Uint8Array(20).fill(255), [128]]) {
    const reader = () => new ByteReader(Uint8Array.from(bytes));
    assert.throws(() => reader().varint(), DamagedBytes);
    assert.throws(() => reader().int64(), DamagedBytes);
  }
  assert.throws(() => new ByteReader(Uint8Array.of(5)).varint(4), DamagedBytes);
});
