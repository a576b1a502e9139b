import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import { testIntake } from "@/test/support/test_intake.ts";
import { attributes, logs, serverSpan, traces } from "./otlp_samples.ts";
import { logsToProtobuf, tracesToProtobuf } from "./otlp_to_protobuf.ts";

/** Nanoseconds since 1970, so many milliseconds ago. */
const nanosAgo = (ms: number) => String(BigInt(Date.now() - ms) * 1_000_000n);
const times = () => ({ startTimeUnixNano: nanosAgo(200), endTimeUnixNano: nanosAgo(100) });
const exception = attributes({
  "exception.type": "TypeError",
  "exception.message": "x is undefined",
  "exception.stacktrace": "TypeError: x is undefined\n    at pay (/app/pay.js:3:15)",
});

Deno.test("spans and logs in either encoding are stored, and an exception that both tell of once", async () => {
  await using intake = await testIntake();
  const { send, serverKey, services: { sql } } = intake;
  const post = async (path: string, body: string | Uint8Array<ArrayBuffer>, headers = {}) => {
    const response = await send(path, {
      method: "POST",
      headers: { authorization: `Bearer ${serverKey}`, ...headers },
      body,
    });
    return [response.status, await response.text()];
  };
  const json = { "content-type": "application/json; charset=utf-8" };
  const protobuf = { "content-type": "application/x-protobuf" };
  const events = [{ timeUnixNano: nanosAgo(150), name: "exception", attributes: exception }];
  const request = traces([serverSpan({ ...times(), events })]);
  assert.deepEqual(await post("/v1/traces", JSON.stringify(request), json), [200, "{}"]);
  // Exporters send again what they had no answer to.
  assert.deepEqual(await post("/v1/traces/", tracesToProtobuf(request), protobuf), [200, ""]);
  const record = {
    timeUnixNano: nanosAgo(150),
    severityNumber: 17,
    traceId: serverSpan().traceId,
    spanId: serverSpan().spanId,
    attributes: exception,
  };
  const zipped = { ...protobuf, "content-encoding": "gzip" };
  const body = new Uint8Array(gzipSync(logsToProtobuf(logs([record]))));
  assert.deepEqual(await post("/v1/logs", body, zipped), [200, ""]);
  const [events1] = await sql`select count(*)::int as count from events`;
  const [logs1] = await sql`select count(*)::int as count, min(body) as body from logs`;
  assert.equal(events1?.count, 1);
  assert.deepEqual([logs1?.count, logs1?.body], [1, "TypeError: x is undefined"]);
});

Deno.test("refusals of the OTLP addresses come in the client's encoding", async () => {
  await using intake = await testIntake();
  const { send, serverKey } = intake;
  const authorization = `Bearer ${serverKey}`;
  const text = await send("/v1/traces", {
    method: "POST",
    headers: { authorization, "content-type": "text/plain" },
    body: "{}",
  });
  assert.equal(text.status, 415);
  assert.equal((await text.json()).code, 3);
  const broken = await send("/v1/logs", {
    method: "POST",
    headers: { authorization, "content-type": "application/x-protobuf" },
    body: new Uint8Array([0x0a, 0x7f]),
  });
  assert.equal(broken.status, 400);
  assert.equal(broken.headers.get("content-type"), "application/x-protobuf");
  await broken.body?.cancel();
  const get = await send("/v1/traces");
  assert.deepEqual([get.status, get.headers.get("allow")], [405, "POST, OPTIONS"]);
  await get.body?.cancel();
  const preflight = await send("/v1/logs", { method: "OPTIONS" });
  assert.equal(preflight.status, 204);
  assert.match(preflight.headers.get("access-control-allow-headers") ?? "", /authorization/);
});

Deno.test("rejected items are counted with their reasons, beside those that are stored", async () => {
  await using intake = await testIntake();
  const { send, serverKey } = intake;
  const response = await send("/v1/traces", {
    method: "POST",
    headers: { authorization: `Bearer ${serverKey}`, "content-type": "application/json" },
    body: JSON.stringify(traces([
      serverSpan(times()),
      serverSpan({ ...times(), spanId: "ab" }),
      serverSpan({ ...times(), spanId: "cd".repeat(8), endTimeUnixNano: nanosAgo(-7_200_000) }),
    ])),
  });
  const { partialSuccess } = await response.json();
  assert.equal(partialSuccess.rejectedSpans, "2");
  await intake.outcomes({ accepted: 1, "invalid/bad_id": 1, "invalid/bad_time": 1 });
});
