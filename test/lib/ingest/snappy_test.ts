import assert from "node:assert/strict";
import fc from "fast-check";
import { compress } from "snappyjs";
import { BrokenSnappy, inflate, OutputLimitExceeded, unsnappy } from "@/lib/ingest/inflate.ts";
import { Refusal } from "@/lib/core/refusal.ts";

const CAP = 1_000_000;
const text = new TextEncoder().encode("hello hello hello hello ".repeat(100));

Deno.test("a block of snappy becomes what it was", () => {
  const runs = fc.array(
    fc.tuple(fc.uint8Array({ maxLength: 40 }), fc.nat({ max: 300 })),
    { maxLength: 6 },
  );
  fc.assert(fc.property(runs, (parts) => {
    const bytes = new Uint8Array(
      parts.flatMap(([part, times]) => Array.from({ length: times }, () => [...part]).flat()),
    );
    assert.deepEqual(unsnappy(compress(bytes), CAP), bytes);
  }));
  const long = crypto.getRandomValues(new Uint8Array(60_000));
  assert.deepEqual(unsnappy(compress(long), CAP), long);
});

Deno.test("a copy may reach into what it writes, and come from far behind", () => {
  // A literal `ab`, then 8 bytes of a copy from 2 bytes before, and 4 from 10 before in the long form.
  const block = [14, 1 << 2, 97, 98, 4 << 2 | 1, 2, 3 << 2 | 3, 10, 0, 0, 0];
  assert.equal(new TextDecoder().decode(unsnappy(new Uint8Array(block), CAP)), "ababababababab");
});

Deno.test("a bomb is refused by what it announces, before anything is made", () => {
  const bomb = new Uint8Array([0xff, 0xff, 0xff, 0xff, 0x0f, 0]);
  assert.throws(() => unsnappy(bomb, CAP), OutputLimitExceeded);
  const short = new Uint8Array([0xc0, 0x84, 0x3d, 0]);
  assert.throws(() => unsnappy(short, CAP), BrokenSnappy);
  const refusal = refusalOf(() => inflate(compress(new Uint8Array(CAP + 1)), "snappy", CAP));
  assert.equal(refusal.status, 413);
});

Deno.test("a block that is cut short or broken is refused", () => {
  const block = compress(text);
  for (let length = 0; length < block.length; length++) {
    assert.throws(() => unsnappy(block.subarray(0, length), CAP), BrokenSnappy, `${length}`);
  }
  assert.equal(refusalOf(() => inflate(block.subarray(0, -1), "Snappy", CAP)).status, 400);
  assert.throws(() => unsnappy(new Uint8Array([...block, 0, 1]), CAP), BrokenSnappy);
  fc.assert(fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
    try {
      assert.ok(unsnappy(bytes, 1_000).length <= 1_000);
    } catch (error) {
      assert.ok(error instanceof BrokenSnappy || error instanceof OutputLimitExceeded);
    }
  }));
});

function refusalOf(run: () => unknown): Refusal {
  try {
    run();
  } catch (error) {
    assert.ok(error instanceof Refusal, String(error));
    return error;
  }
  throw new Error("It was not refused");
}
