import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import { decodePprof } from "@/lib/formats/pprof/decode.ts";
import { inflatePprof } from "@/lib/formats/pprof/compression.ts";
import { testIntake } from "@/test/support/test_intake.ts";
import { TRACE } from "./otlp_samples.ts";
import { profile, request } from "./samples.ts";
import { profilesToProtobuf } from "./to_protobuf.ts";

const PATH = "/v1development/profiles";
const JSON_TYPE = { "content-type": "application/json" };
const PROTOBUF = { "content-type": "application/x-protobuf" };
const recent = () => ({ timeUnixNano: String(BigInt(Date.now() - 60_000) * 1_000_000n) });

Deno.test("profiles in either encoding are stored once, with their traces", async () => {
  await using intake = await testIntake();
  const { send, serverKey, services: { sql, objects } } = intake;
  const post = async (body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string>) => {
    const authorization = `Bearer ${serverKey}`;
    const response = await send(PATH, {
      method: "POST",
      headers: { authorization, ...headers },
      body,
    });
    return [response.status, await response.text()];
  };
  const samples = [{ stackIndex: 1, values: ["30000000"], linkIndex: 1 }];
  const sent = request([profile({ ...recent(), samples })]);
  assert.deepEqual(await post(JSON.stringify(sent), JSON_TYPE), [200, "{}"]);
  const zipped = new Uint8Array(gzipSync(profilesToProtobuf(sent)));
  assert.deepEqual(await post(zipped, { ...PROTOBUF, "content-encoding": "gzip" }), [200, ""]);
  assert.deepEqual(await post("", PROTOBUF), [200, ""]);
  const rows = await sql`select * from profiles`;
  const [row] = rows;
  assert.equal(rows.length, 1);
  assert.deepEqual([row?.source, row?.service, row?.kind, row?.types], [
    "otlp",
    "checkout",
    "cpu",
    ["cpu:nanoseconds"],
  ]);
  const [trace] = await sql`select replace(trace_id::text, '-', '') as id from profile_traces`;
  assert.equal(trace?.id, TRACE);
  const blob = await objects.get(row?.blob_key);
  assert.equal(decodePprof(inflatePprof(blob ?? new Uint8Array())).profile.samples.count, 1);
  await intake.outcomes({ accepted: 1, duplicate: 1 });
});

Deno.test("what is rejected is told in the client's encoding, beside what is stored", async () => {
  await using intake = await testIntake();
  const { send, serverKey } = intake;
  const broken = profile({ ...recent(), period: "5", samples: [{ stackIndex: 99, values: [1] }] });
  const response = await send(PATH, {
    method: "POST",
    headers: { authorization: `Bearer ${serverKey}`, ...JSON_TYPE },
    body: JSON.stringify(request([profile(recent()), broken])),
  });
  assert.equal(response.status, 200);
  assert.equal(response.headers.get("content-type"), "application/json");
  const { partialSuccess } = await response.json();
  assert.equal(partialSuccess.rejectedProfiles, "1");
  assert.match(partialSuccess.errorMessage, /rejected: most of its samples have no values/);
  await intake.outcomes({ accepted: 1, "invalid/broken_samples": 1 });
});

Deno.test("browsers' keys, other types and bodies that are no request are refused", async () => {
  await using intake = await testIntake();
  const { send, serverKey, browserKey } = intake;
  const statusOf = async (key: string, headers: Record<string, string>, body: string) => {
    const response = await send(`${PATH}/`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, ...headers },
      body,
    });
    await response.body?.cancel();
    return response.status;
  };
  assert.equal(await statusOf(browserKey, JSON_TYPE, "{}"), 403);
  assert.equal(await statusOf("0".repeat(32), JSON_TYPE, "{}"), 401);
  assert.equal(await statusOf(serverKey, { "content-type": "text/plain" }, "{}"), 415);
  assert.equal(await statusOf(serverKey, JSON_TYPE, "[]"), 400);
  assert.equal(await statusOf(serverKey, PROTOBUF, "{}"), 400);
});
