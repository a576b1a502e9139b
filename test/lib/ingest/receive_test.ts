import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import { Body } from "@/lib/ingest/receive.ts";
import { decodedLimit, MAX_DECODED_BYTES, readBody } from "@/lib/core/read_body.ts";
import { Refusal } from "@/lib/core/refusal.ts";

const URL = "http://localhost/api/1/envelope/";

function post(body: BodyInit | null, headers: Record<string, string> = {}): Request {
  return new Request(URL, { method: "POST", body, headers });
}

/** Sends `chunks` and then neither ends nor says anything, as a stalled client does. */
function stalling(...chunks: Uint8Array<ArrayBuffer>[]) {
  const state = { pulled: 0, isCancelled: false };
  const stream = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull(controller) {
      const chunk = chunks[state.pulled++];
      if (chunk !== undefined) controller.enqueue(chunk);
    },
    cancel() {
      state.isCancelled = true;
    },
  }, { highWaterMark: 0 });
  return { state, request: post(stream) };
}

async function refusalOf(work: Promise<unknown>): Promise<Refusal> {
  const error = await work.then(() => null, (reason) => reason);
  assert.ok(error instanceof Refusal, `expected a refusal, got ${error}`);
  return error;
}

Deno.test("readBody() joins the pieces of a body", async () => {
  const stream = ReadableStream.from([new Uint8Array([1, 2]), new Uint8Array([3])]);
  assert.deepEqual(await readBody(post(stream), { maxBytes: 3 }), new Uint8Array([1, 2, 3]));
});

Deno.test("readBody() takes a request without a body for an empty one", async () => {
  assert.deepEqual(await readBody(post(null), { maxBytes: 10 }), new Uint8Array(0));
});

Deno.test("readBody() refuses by Content-Length with 413 before it reads a byte", async () => {
  const { state, request } = stalling(new Uint8Array(10));
  request.headers.set("content-length", "11");
  const { status, detail } = await refusalOf(readBody(request, { maxBytes: 10 }));
  assert.equal(status, 413);
  assert.match(detail, /10 bytes/);
  assert.equal(state.pulled, 0);
});

Deno.test("readBody() refuses a chunked body with 413 as soon as it passes the limit", async () => {
  const { state, request } = stalling(new Uint8Array(6), new Uint8Array(6), new Uint8Array(6));
  assert.equal((await refusalOf(readBody(request, { maxBytes: 10 }))).status, 413);
  assert.deepEqual(state, { pulled: 2, isCancelled: true });
});

Deno.test("readBody() refuses a client that is too slow with 408 and stops reading", async () => {
  const { state, request } = stalling(new Uint8Array(3));
  const { status } = await refusalOf(readBody(request, { maxBytes: 10, timeoutMs: 20 }));
  assert.equal(status, 408);
  assert.equal(state.isCancelled, true);
});

Deno.test("readBody() asks for a body again with 503 when the service stops before all of it is here", async () => {
  const stop = new AbortController();
  const { state, request } = stalling(new Uint8Array(3));
  // The shorter of the two times holds.
  const reading = readBody(request, { maxBytes: 10, timeoutMs: 20, stopping: stop.signal });
  stop.abort();
  const { status, headers } = await refusalOf(reading);
  assert.deepEqual([status, headers["retry-after"]], [503, "5"]);
  assert.equal(state.isCancelled, true);

  const late = readBody(stalling(new Uint8Array(3)).request, {
    maxBytes: 10,
    timeoutMs: 20,
    stopping: stop.signal,
  });
  assert.equal((await refusalOf(late)).status, 503);
  const whole = post(new Uint8Array(3));
  assert.equal((await readBody(whole, { maxBytes: 10, stopping: stop.signal })).length, 3);
});

Deno.test("readBody() refuses a body whose client goes away with 400", async () => {
  const broken = new ReadableStream({
    pull: (controller) => controller.error(new Error("connection reset")),
  });
  assert.equal((await refusalOf(readBody(post(broken), { maxBytes: 10 }))).status, 400);
});

Deno.test("Body gives the bytes as sent and decompressed, reading the request once", async () => {
  const plain = new TextEncoder().encode("hello hello hello");
  const sent = new Uint8Array(gzipSync(plain));
  const body = new Body(post(sent, { "content-encoding": "gzip" }), {
    maxBytes: 100,
    maxDecodedBytes: 1_000,
  });
  assert.deepEqual(new Uint8Array(await body.decoded()), plain);
  assert.deepEqual(await body.asReceived(), { body: sent, encoding: "gzip" });
});

Deno.test("Body allows a decompressed body the room of a plain one", () => {
  assert.equal(decodedLimit(1_000_000), MAX_DECODED_BYTES);
  assert.equal(decodedLimit(2 * MAX_DECODED_BYTES), 2 * MAX_DECODED_BYTES);
});

Deno.test("leave() takes in a short body that nobody has read, and lets a long one go", async () => {
  const limits = { maxBytes: 1_000_000, maxDecodedBytes: 1_000_000 };
  const short = post("12345", { "content-length": "5" });
  new Body(short, limits).leave();
  assert.ok(short.bodyUsed, "the connection can be used again");

  const long = post("1".repeat(70_000), { "content-length": "70000" });
  new Body(long, limits).leave();
  assert.ok(!long.bodyUsed);

  const read = post("12345", { "content-length": "5" });
  const body = new Body(read, limits);
  assert.equal((await body.decoded()).length, 5);
  body.leave();
});
