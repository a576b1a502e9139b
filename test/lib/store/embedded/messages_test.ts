import assert from "node:assert/strict";
import fc from "fast-check";
import { concat, message, request, startup } from "@/test/support/postgres_messages.ts";
import {
  asksForEncryption,
  endsIdle,
  MessageBuffer,
  startupParameters,
} from "@/lib/store/embedded/server.ts";

const encoder = new TextEncoder();
const user = { user: "ann", search_path: "test_1" };

Deno.test("takeExchange() keeps the messages of an extended query together until Sync", () => {
  const query = concat([message("P"), message("B"), message("E"), message("S")]);
  const buffer = new MessageBuffer();

  buffer.push(query.subarray(0, query.length - 1));
  assert.equal(buffer.takeExchange(), null);
  buffer.push(query.subarray(query.length - 1));

  assert.deepEqual(buffer.takeExchange(), query);
  assert.equal(buffer.takeExchange(), null);
});

Deno.test("takeExchange() recognises the end of a connection", () => {
  const buffer = new MessageBuffer();
  buffer.push(concat([message("Q", encoder.encode("select 1\0")), message("X")]));

  assert.notEqual(buffer.takeExchange(), null);
  assert.equal(buffer.takeExchange(), "terminate");
});

Deno.test("takeExchange() gives the same exchanges however the bytes are cut", () => {
  const body = fc.uint8Array({ maxLength: 300_000, size: "max" });
  const exchange = fc.tuple(body, fc.constantFrom("Q", "S", "H"))
    .map(([body, end]) => concat([message("B", body), message(end)]));
  const cuts = fc.array(fc.integer({ min: 1, max: 100_000 }), { minLength: 1 });

  fc.assert(
    fc.property(fc.array(exchange, { maxLength: 4 }), cuts, (exchanges, cuts) => {
      const bytes = concat(exchanges);
      const buffer = new MessageBuffer();
      const taken: unknown[] = [];
      for (let start = 0, i = 0; start < bytes.length; i++) {
        const end = start + (cuts[i % cuts.length] ?? 1);
        buffer.push(bytes.subarray(start, end));
        start = end;
        for (let found = buffer.takeExchange(); found !== null; found = buffer.takeExchange()) {
          taken.push(found);
        }
      }
      assert.deepEqual(taken, exchanges);
    }),
    { numRuns: 20 },
  );
});

Deno.test("takeStartup() takes the first message, which has no type", () => {
  const first = startup(user);
  const buffer = new MessageBuffer();
  buffer.push(concat([first, message("Q")]));

  assert.deepEqual(buffer.takeStartup(), first);
  assert.deepEqual(buffer.takeExchange(), message("Q"));
  assert.deepEqual([...startupParameters(first)], Object.entries(user));
});

Deno.test("asksForEncryption() tells the requests for TLS and GSS from a start-up", () => {
  assert.equal(asksForEncryption(request(80_877_103)), true);
  assert.equal(asksForEncryption(request(80_877_104)), true);
  assert.equal(asksForEncryption(startup(user)), false);
});

Deno.test("endsIdle() reads the transaction state from the end of an answer, in however many pieces", () => {
  const idle = message("Z", encoder.encode("I"));
  const pieces = (bytes: Uint8Array) => [...bytes].map((byte) => new Uint8Array([byte]));

  assert.equal(endsIdle([message("C"), idle]), true);
  assert.equal(endsIdle(pieces(concat([message("C"), idle]))), true);
  assert.equal(endsIdle([idle, message("1")]), false);
  assert.equal(endsIdle([message("Z", encoder.encode("T"))]), false);
  assert.equal(endsIdle([message("Z", encoder.encode("E"))]), false);
  assert.equal(endsIdle([]), false);
});
