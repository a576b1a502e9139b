import assert from "node:assert/strict";
import { readByteSize, writeByteSize } from "@/lib/core/byte_size.ts";

Deno.test("sizes are bytes, or have a unit of 1000 or of 1024", () => {
  assert.equal(readByteSize("1500000"), 1_500_000);
  assert.equal(readByteSize(" 200GB "), 200e9);
  assert.equal(readByteSize("200 gib"), 200 * 2 ** 30);
  assert.equal(readByteSize("1.5TB"), 1.5e12);
  assert.equal(readByteSize("0"), 0);
});

Deno.test("what is no size, or more than a number holds exactly, is none", () => {
  for (const text of ["", "GB", "-1", "1e9", "1,5GB", "10 XB", "10i", "99PiB", "1 000"]) {
    assert.equal(readByteSize(text), null, text);
  }
});

Deno.test("a size is written so that the same is read again", () => {
  for (
    const [bytes, text] of [[0, "0"], [500e9, "500GB"], [3 * 2 ** 30, "3GiB"], [
      1_500_001,
      "1500001",
    ]] as const
  ) {
    assert.equal(writeByteSize(bytes), text);
    assert.equal(readByteSize(text), bytes);
  }
});
