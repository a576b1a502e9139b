import assert from "node:assert/strict";
import { ByteWriter } from "@/lib/core/bytes.ts";
import { readHead, readKnownHead } from "@/lib/metrics/codec/wide_batch.ts";

/** Of one gauge. */
function headOf(ids: readonly number[]): Uint8Array {
  const writer = new ByteWriter();
  writer.varint(1);
  writer.id("7");
  writer.byte(1);
  writer.byte(3);
  writer.varint(ids.length);
  for (const id of ids) writer.id(String(id));
  return writer.written();
}

Deno.test("a head that comes again is the one that was read, and others of its length are not", () => {
  const [one, other] = [headOf([1, 2, 3]), headOf([1, 2, 4])];
  const read = readKnownHead(one);
  assert.deepEqual(read, readHead(one));
  assert.deepEqual(readKnownHead(other), readHead(other));
  // The bytes that it was read from may be gone.
  assert.equal(readKnownHead(one.slice()), read);
  one.fill(0);
  assert.deepEqual(readKnownHead(headOf([1, 2, 3])), read);
});

Deno.test("of many heads the last hundred are known", () => {
  const [first, ...others] = Array.from({ length: 101 }, (_, place) => headOf([place]));
  assert.ok(first);
  const known = readKnownHead(first);
  for (const each of others.slice(1)) readKnownHead(each);
  assert.equal(readKnownHead(first), known);
  for (const each of others) readKnownHead(each);
  assert.notEqual(readKnownHead(first), known);
});

Deno.test("heads of too many series are read and forgotten", () => {
  const small = headOf([1]);
  const known = readKnownHead(small);
  assert.equal(readKnownHead(small), known);
  const ids = Array.from({ length: 200_001 }, (_, place) => place);
  assert.equal(readKnownHead(headOf(ids)).seriesIds.length, ids.length);
  assert.notEqual(readKnownHead(small), known);
  assert.deepEqual(readKnownHead(small), known);
});
