import assert from "node:assert/strict";
import { otlpLogs, otlpTraces } from "@/lib/ingest/protocols/otlp.ts";
import { Refusal, unavailable } from "@/lib/core/refusal.ts";
import type { Batch, Outcome } from "@/lib/records/mod.ts";
import { decodeTraces } from "../../formats/otlp/decode_request.ts";
import { serverSpan, traces } from "../../formats/otlp/otlp_samples.ts";
import { traceAnswerOf } from "../../formats/otlp/otlp_to_protobuf.ts";

const post = (contentType: string) =>
  new Request("http://localhost/v1/traces", {
    method: "POST",
    headers: contentType === "" ? {} : { "content-type": contentType },
  });
const JSON_REQUEST = post("application/json; charset=utf-8");
const PROTOBUF_REQUEST = post("application/x-protobuf");
const bytesOf = async (response: Response) => [...new Uint8Array(await response.arrayBuffer())];
const batchOf = (...outcomes: Outcome[]): Batch => ({
  ...decodeTraces(traces([serverSpan()])),
  outcomes,
});
const rejected = (category: string, reason: string, quantity: number): Outcome => ({
  category,
  kind: "invalid",
  reason,
  quantity,
});

Deno.test("a full success is an empty message in the encoding of the request", async () => {
  for (const batch of [batchOf(), { records: [], outcomes: [], eventId: null }]) {
    const json = otlpTraces.reply(batch, JSON_REQUEST);
    assert.equal(json.status, 200);
    assert.equal(json.headers.get("content-type"), "application/json");
    assert.equal(await json.text(), "{}");
    const protobuf = otlpTraces.reply(batch, PROTOBUF_REQUEST);
    assert.equal(protobuf.headers.get("content-type"), "application/x-protobuf");
    assert.deepEqual(await bytesOf(protobuf), []);
  }
});

Deno.test("a partial success says how many were rejected and why", async () => {
  const batch = batchOf(rejected("span", "bad_id", 2), rejected("span", "bad_time", 1));
  const { partialSuccess } = await otlpTraces.reply(batch, JSON_REQUEST).json();
  assert.equal(partialSuccess.rejectedSpans, "3");
  assert.match(partialSuccess.errorMessage, /^2 spans were rejected: a trace id has 16 bytes/);
  assert.match(partialSuccess.errorMessage, /1 span was rejected: the time is more than an hour/);
  const protobuf = await otlpTraces.reply(batch, PROTOBUF_REQUEST).bytes();
  assert.deepEqual(traceAnswerOf(protobuf), { partialSuccess });
});

Deno.test("rejected log records have their own field", async () => {
  const batch = batchOf(rejected("log_item", "empty_log", 1));
  const { partialSuccess } = await otlpLogs.reply(batch, JSON_REQUEST).json();
  assert.equal(partialSuccess.rejectedLogRecords, "1");
});

Deno.test("what the project does not want, or was there before, is no reason to complain", async () => {
  const batch = batchOf(
    { category: "span", kind: "filtered", reason: "release", quantity: 3 },
    { category: "span", kind: "sampled", reason: "sample_rate", quantity: 3 },
    { category: "span", kind: "duplicate", reason: "same_span", quantity: 1 },
  );
  assert.equal(await otlpTraces.reply(batch, JSON_REQUEST).text(), "{}");
});

Deno.test("exceptions that were too many are a warning", async () => {
  const outcome = { ...rejected("error", "too_many_exceptions", 5), kind: "too_large" } as const;
  const { partialSuccess } = await otlpTraces.reply(batchOf(outcome), JSON_REQUEST).json();
  assert.equal(partialSuccess.rejectedSpans, undefined);
  assert.match(partialSuccess.errorMessage, /^5 exceptions were rejected/);
});

Deno.test("a request in which every item has a wrong id is refused", async () => {
  const batch = decodeTraces(traces([serverSpan({ traceId: "ab" })]));
  const response = otlpTraces.reply(batch, JSON_REQUEST);
  assert.equal(response.status, 400);
  const { code, message, details } = await response.json();
  assert.equal(code, 3);
  assert.match(message, /^1 span was rejected/);
  assert.equal(details[0]["@type"], "type.googleapis.com/google.rpc.BadRequest");
  assert.equal(details[0].fieldViolations[0].description, message);
});

Deno.test("refusals are a google.rpc.Status in the encoding of the request", async () => {
  const codes = [[400, 3], [401, 16], [403, 7], [405, 12], [408, 4], [413, 8], [415, 3], [429, 8]];
  for (const [status = 0, code] of codes) {
    const refusal = new Refusal(status, "Not so", { kind: "refused", reason: "test" });
    const json = otlpTraces.refuse(refusal, JSON_REQUEST);
    assert.equal(json.status, status);
    assert.equal(json.headers.get("content-type"), "application/json");
    assert.equal(json.headers.get("access-control-allow-origin"), "*");
    const body = await json.json();
    assert.deepEqual([body.code, body.message], [code, "Not so"]);
    const protobuf = otlpTraces.refuse(refusal, PROTOBUF_REQUEST);
    assert.equal(protobuf.headers.get("content-type"), "application/x-protobuf");
    const bytes = await bytesOf(protobuf);
    assert.deepEqual(bytes.slice(0, 10), [
      0x08,
      code,
      0x12,
      6,
      ...new TextEncoder().encode("Not so"),
    ]);
    assert.equal(bytes.length > 10, status === 400);
  }
});

Deno.test("what is wrong with a request is told in protobuf as in JSON", async () => {
  const refusal = new Refusal(400, "Not so \ud800", { kind: "refused", reason: "test" });
  const sentence = "Not so \ufffd";
  const length = new TextEncoder().encode(sentence).length;
  const text = [...new TextEncoder().encode(sentence)];
  const url = [...new TextEncoder().encode("type.googleapis.com/google.rpc.BadRequest")];
  const violation = [0x0a, length + 2, 0x12, length, ...text];
  const any = [0x0a, url.length, ...url, 0x12, violation.length, ...violation];
  assert.deepEqual(
    await bytesOf(otlpTraces.refuse(refusal, PROTOBUF_REQUEST)),
    [0x08, 3, 0x12, length, ...text, 0x1a, any.length, ...any],
  );
});

Deno.test("whoever sends neither form is answered in JSON", async () => {
  const refusal = new Refusal(415, "Not so", { kind: "invalid", reason: "test" });
  for (const contentType of ["", "text/plain"]) {
    assert.equal((await otlpTraces.refuse(refusal, post(contentType)).json()).code, 3);
  }
});

Deno.test("while a store is away, clients are told to come back within their patience", async () => {
  const response = otlpTraces.refuse(unavailable(), PROTOBUF_REQUEST);
  assert.equal(response.status, 503);
  assert.equal(response.headers.get("retry-after"), "5");
  await response.body?.cancel();
  const limited = new Refusal(429, "Too many", { kind: "rate_limited", reason: "x" }, {
    "retry-after": "1",
  });
  assert.equal(otlpTraces.refuse(limited, PROTOBUF_REQUEST).headers.get("retry-after"), "1");
});

Deno.test("the key may stand behind a percent-encoded blank", () => {
  const key = "0123456789abcdef0123456789abcdef";
  for (const authorization of [`Bearer ${key}`, `bearer ${key}`, `Bearer%20${key}`]) {
    const req = new Request("http://localhost/v1/traces", { headers: { authorization } });
    assert.equal(otlpTraces.credentials(req, new URL(req.url))?.publicKey, key);
  }
});

Deno.test("whoever sends no key is told where it goes", () => {
  for (const authorization of ["", "Basic eDo=", "0123456789abcdef0123456789abcdef"]) {
    const req = new Request("http://localhost/v1/traces", { headers: { authorization } });
    assert.throws(
      () => otlpTraces.credentials(req, new URL(req.url)),
      ({ status, detail }: Refusal) => status === 401 && /Bearer <public key>/.test(detail),
    );
  }
});
