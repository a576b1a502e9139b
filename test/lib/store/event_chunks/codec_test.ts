import assert from "node:assert/strict";
import { newChunkId, packChunk, unpackChunk } from "@/lib/store/event_chunks/codec.ts";
import { newEventId } from "@/test/support/error_event.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

Deno.test("a chunk has each payload as it was, by its event's id and in its order", () => {
  const entries = ['{"message":"a 💥"}', "", "{}\x1e\0"].map((text) => ({
    eventId: newEventId(),
    payload: bytes(text),
  }));
  const unpacked = unpackChunk(packChunk(entries));
  assert.deepEqual(
    unpacked.map(({ eventId, payload }) => ({ eventId, payload: Uint8Array.from(payload) })),
    entries,
  );
});

Deno.test("payloads that are alike take little more than one of them", () => {
  const payload = (index: number) => ({
    eventId: newEventId(),
    payload: bytes(
      JSON.stringify({ index, frames: Array.from({ length: 300 }, (_, at) => at ** 3) }),
    ),
  });
  const one = packChunk([payload(1)]).length;
  const many = packChunk(Array.from({ length: 20 }, (_, index) => payload(index))).length;
  assert.ok(many < 2.5 * one, `${many} bytes of twenty, ${one} of one`);
});

Deno.test("a damaged chunk is refused, as is one of a later version", () => {
  const packed = packChunk([{ eventId: newEventId(), payload: bytes("{}") }]);
  assert.throws(() => unpackChunk(packed.subarray(0, -4)));
  assert.throws(() => unpackChunk(bytes("{}")));
});

Deno.test("ids of chunks differ and are in the order of time", () => {
  const ids = Array.from({ length: 1_000 }, () => newChunkId(1_700_000_000_000));
  assert.equal(new Set(ids).size, ids.length);
  const later = BigInt(newChunkId(1_700_000_000_001));
  assert.ok(ids.every((id) => BigInt(id) < later));
  assert.ok(BigInt(newChunkId(Date.UTC(2100, 0))) < 2n ** 63n);
});
