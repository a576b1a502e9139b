import assert from "node:assert/strict";
import { gunzipSync, gzipSync } from "node:zlib";
import { updateSettings } from "@/lib/accounts/projects.ts";
import { pprofBytes, pprofGzip } from "@/test/support/pprof.ts";
import { type TestIntake, testIntake } from "@/test/support/test_intake.ts";

const PATH = "/api/v1/profiles/pprof?service=shop&environment=production";
const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const SPAN = "00f067aa0ba902b7";

function upload(
  { send, serverKey }: TestIntake,
  body: Uint8Array<ArrayBuffer>,
  path = PATH,
  headers: Record<string, string> = {},
): Promise<Response> {
  return send(path, {
    method: "POST",
    body,
    headers: {
      authorization: `Bearer ${serverKey}`,
      "content-type": "application/octet-stream",
      ...headers,
    },
  });
}

async function stored({ services: { sql } }: TestIntake) {
  return [
    ...await sql`
      select replace(profile_id::text, '-', '') as id, "timestamp", source, kind, service, instance,
        platform, environment, release, transaction, replace(trace_id::text, '-', '') as trace_id,
        span_id, duration_ms, period, period_type, samples, types, totals, is_delta, labels, size_bytes, blob_key,
        original_key
      from profiles order by received_at
    `,
  ];
}

async function bytesOf({ services: { objects } }: TestIntake, key: string): Promise<Uint8Array> {
  const bytes = await objects.get(key);
  assert.ok(bytes, key);
  return bytes;
}

Deno.test("an upload is answered with what it holds, and stored with its index row", async () => {
  await using intake = await testIntake();
  const body = pprofGzip();
  const response = await upload(
    intake,
    body,
    `${PATH}&release=shop@1.2&trace_id=${TRACE}&span_id=${SPAN}&labels=region=eu,tier=web` +
      "&label.team=a%3Db&transaction=GET+/orders&instance=web-1",
  );
  assert.equal(response.status, 200);
  const { id, ...answer } = await response.json();
  assert.match(id, /^[0-9a-f]{32}$/);
  assert.deepEqual(answer, {
    sample_types: [{ type: "samples", unit: "count" }, { type: "cpu", unit: "nanoseconds" }],
    samples: 2,
    duration_ms: 10_000,
  });
  const [row] = await stored(intake);
  const { timestamp, blob_key: key, ...rest } = row ?? {};
  assert.ok(Math.abs(Date.now() - 60_000 - timestamp.getTime()) < 30_000);
  assert.deepEqual(rest, {
    id,
    source: "pprof",
    kind: "cpu",
    service: "shop",
    instance: "web-1",
    platform: "go",
    environment: "production",
    release: "shop@1.2",
    transaction: "GET /orders",
    trace_id: TRACE,
    span_id: SPAN,
    duration_ms: 10_000,
    period: "10000000",
    period_type: "cpu:nanoseconds",
    samples: 2,
    types: ["samples:count", "cpu:nanoseconds"],
    totals: ["4", "40000000"],
    is_delta: true,
    labels: { region: ["eu"], tier: ["web"], team: ["a=b"] },
    size_bytes: String(body.length),
    original_key: "",
  });
  const day = timestamp.toISOString().slice(0, 10);
  assert.equal(key, `profiles/${intake.project.id}/${day}/${id}`);
  assert.deepEqual(new Uint8Array(await bytesOf(intake, key)), body);
  await intake.outcomes({ accepted: 1 });
});

Deno.test("an upload comes plain, compressed, behind Content-Encoding, and with any content type", async () => {
  await using intake = await testIntake();
  const plain = pprofBytes();
  const gzip = new Uint8Array(gzipSync(plain));
  const twice = new Uint8Array(gzipSync(gzip));
  const encoded = { "content-encoding": "gzip" };
  const cases: [Uint8Array<ArrayBuffer>, Record<string, string>][] = [
    [plain, {}],
    [gzip, { "content-type": "application/x-gzip" }],
    [gzip, { "content-type": "application/vnd.google.protobuf+gzip" }],
    [gzip, { "content-type": "application/x-www-form-urlencoded" }],
    [plain, { "content-type": "application/x-protobuf" }],
    [gzip, { "content-type": "" }],
    [gzip, encoded],
    [twice, encoded],
    [twice, {}],
  ];
  for (const [index, [body, headers]] of cases.entries()) {
    const response = await upload(intake, body, `${PATH}-${index}`, headers);
    assert.equal(response.status, 200, await response.text());
  }
  const rows = await stored(intake);
  assert.equal(rows.length, cases.length);
  for (const { blob_key: key, size_bytes: size } of rows) {
    const bytes = await bytesOf(intake, key);
    assert.equal(size, String(bytes.length));
    assert.deepEqual(new Uint8Array(gunzipSync(bytes)), plain);
  }
});

Deno.test("the same upload twice is stored once, and answered the same", async () => {
  await using intake = await testIntake();
  const plain = pprofBytes();
  const answers = [];
  for (const body of [plain, new Uint8Array(gzipSync(plain)), plain]) {
    answers.push(await (await upload(intake, body)).json());
  }
  assert.deepEqual(answers[1], answers[0]);
  assert.deepEqual(answers[2], answers[0]);
  const other = await upload(intake, plain, "/api/v1/profiles/pprof?service=other");
  assert.notEqual((await other.json()).id, answers[0].id);
  assert.equal((await stored(intake)).length, 2);
  await intake.outcomes({ accepted: 2, duplicate: 2 });
});

Deno.test("traces that samples name are indexed with their sums, and are no labels", async () => {
  await using intake = await testIntake();
  const { sql } = intake.services;
  const label = (key: string, text: string) => ({ key, text });
  const body = pprofGzip([
    { stack: ["a"], values: [1n, 10n], labels: [label("trace_id", TRACE), label("user", "ann")] },
    { stack: ["b"], values: [2n, 20n], labels: [label("Trace ID", TRACE), label("user", "bob")] },
    {
      stack: ["a"],
      values: [4n, 40n],
      labels: [label("trace_id", TRACE), label("span_id", SPAN), label("pprof::base", "true")],
    },
    { stack: ["a"], values: [8n, 80n] },
  ]);
  for (let time = 0; time < 2; time++) {
    const response = await upload(intake, body);
    assert.equal(response.status, 200, await response.text());
  }
  const rows = await sql`
    select replace(trace_id::text, '-', '') as trace, span_id, totals from profile_traces
    order by span_id
  `;
  assert.deepEqual([...rows], [
    { trace: TRACE, span_id: "", totals: ["3", "30"] },
    { trace: TRACE, span_id: SPAN, totals: ["4", "40"] },
  ]);
  const [profile] = await stored(intake);
  assert.deepEqual([profile?.labels, profile?.trace_id], [{ user: ["ann", "bob"] }, null]);
});

Deno.test("a profile names at most a thousand traces: those with the largest share", async () => {
  await using intake = await testIntake();
  const { sql } = intake.services;
  const body = pprofGzip(Array.from({ length: 1_200 }, (_, index) => ({
    stack: ["a"],
    values: [1n, BigInt(index)],
    labels: [{ key: "trace_id", text: (index + 1).toString(16).padStart(32, "0") }],
  })));
  const response = await upload(intake, body);
  assert.equal(response.status, 200, await response.text());
  const [row] = await sql`
    select count(*)::int as count, min(totals[2])::int as least from profile_traces
  `;
  assert.deepEqual({ ...row }, { count: 1_000, least: 200 });
});

Deno.test("the service may be named by a label of the upload or of the samples", async () => {
  await using intake = await testIntake();
  const labels = [{ key: "service_name", text: "billing" }];
  const path = "/api/v1/profiles/pprof";
  const bodies: [Uint8Array<ArrayBuffer>, string][] = [
    [pprofGzip(), `${path}?labels=service=cart,env=staging,version=1.4,x=1`],
    [pprofGzip([{ stack: ["a"], values: [1n, 2n], labels }]), path],
  ];
  for (const [body, address] of bodies) {
    const response = await upload(intake, body, address);
    assert.equal(response.status, 200, await response.text());
  }
  const rows = await stored(intake);
  assert.deepEqual(rows.map((row) => [row.service, row.environment, row.release, row.labels]), [
    ["cart", "staging", "1.4", { x: ["1"] }],
    ["billing", "", "", { service_name: ["billing"] }],
  ]);
});

Deno.test("from and until say when a profile was taken; impossible times become that of receipt", async () => {
  await using intake = await testIntake();
  const from = Math.floor(Date.now() / 1000) - 3_600;
  const untimed = pprofGzip(undefined, { timeNanos: 0n, durationNanos: 0n });
  const ahead = pprofGzip(undefined, { timeNanos: BigInt(Date.now() + 3_600_000) * 1_000_000n });
  const ask = async (body: Uint8Array<ArrayBuffer>, query: string) => {
    const response = await upload(intake, body, PATH + query);
    const text = await response.text();
    assert.equal(response.status, 200, text);
    return JSON.parse(text);
  };
  const dated = await ask(untimed, `&from=${from}&until=${from + 15}`);
  assert.deepEqual([dated.duration_ms, dated.repaired], [15_000, undefined]);
  assert.deepEqual((await ask(untimed, "")).repaired, ["no usable time: it is that of receipt"]);
  assert.deepEqual((await ask(ahead, "")).repaired, ["no usable time: it is that of receipt"]);
  const times = (await stored(intake)).map(({ timestamp }) => timestamp.getTime());
  assert.equal(times[0], from * 1000);
  for (const time of times.slice(1)) assert.ok(Math.abs(Date.now() - time) < 30_000);
});

Deno.test("a hint tells profiles of locks from profiles of waiting", async () => {
  await using intake = await testIntake();
  const head = {
    sampleTypes: [{ type: "contentions", unit: "count" }, { type: "delay", unit: "nanoseconds" }],
    durationNanos: 0n,
  };
  const body = pprofGzip([{ stack: ["a"], values: [1n, 2n] }], head);
  for (const query of ["-a&type=mutex", "-b&type=block", "-c"]) {
    const response = await upload(intake, body, PATH + query);
    assert.equal(response.status, 200, await response.text());
  }
  const rows = await stored(intake);
  assert.deepEqual(rows.map(({ kind, is_delta: isDelta }) => [kind, isDelta]), [
    ["mutex", false],
    ["block", false],
    ["lock", false],
  ]);
});

Deno.test("sums that no column holds are the largest that one does", async () => {
  await using intake = await testIntake();
  const most = 2n ** 63n - 1n;
  const body = pprofGzip([
    { stack: ["a"], values: [1n, most], labels: [{ key: "trace_id", text: TRACE }] },
    { stack: ["b"], values: [-1n, most], labels: [{ key: "trace_id", text: TRACE }] },
  ]);
  const response = await upload(intake, body);
  assert.equal(response.status, 200, await response.text());
  const [row] = await stored(intake);
  assert.deepEqual(row?.totals, ["0", String(most)]);
  await intake.outcomes({ accepted: 1 });
});

Deno.test("names with NUL and other rubbish are stored without it", async () => {
  await using intake = await testIntake();
  const labels = [{ key: "a\0b", text: "c\0d\ud800" }, { key: "key", text: "\0" }];
  const head = { sampleTypes: [{ type: "x\0y", unit: "z" }] };
  const body = pprofGzip([{ stack: ["\0"], values: [1n], labels }], head);
  const response = await upload(intake, body, `${PATH}%00x&release=%00&labels=%00=%00`);
  assert.equal(response.status, 200, await response.text());
  const [row] = await stored(intake);
  assert.equal(row?.service, "shop");
  await intake.outcomes({ accepted: 1 });
});

Deno.test("a profile without samples is stored", async () => {
  await using intake = await testIntake();
  const response = await upload(intake, pprofGzip([]));
  const text = await response.text();
  assert.equal(response.status, 200, text);
  assert.equal(JSON.parse(text).samples, 0);
  const [row] = await stored(intake);
  assert.deepEqual(row?.totals, ["0", "0"]);
});

Deno.test("sampling of traces does not touch uploads", async () => {
  await using intake = await testIntake();
  const { services: { kv }, project } = intake;
  await updateSettings(kv, project.id, { sampleRate: 0 });
  const response = await upload(intake, pprofGzip(), `${PATH}&trace_id=${TRACE}`);
  assert.equal(response.status, 200, await response.text());
  await intake.outcomes({ accepted: 1 });
});

Deno.test("a browser key may not upload, nor an unknown one, nor any over its rate", async () => {
  await using intake = await testIntake({ ingestRatePerSec: 1 });
  const { browserKey, services: { sql, objects } } = intake;
  const keyed = (key: string) => ({ authorization: `Bearer ${key}` });
  const statuses: number[] = [];
  for (const headers of [keyed(browserKey), keyed("f".repeat(32)), { authorization: "" }]) {
    const response = await upload(intake, pprofGzip(), PATH, headers);
    assert.ok((await response.json()).detail);
    statuses.push(response.status);
  }
  assert.deepEqual(statuses, [403, 401, 401]);
  for (let index = 0; index < 5; index++) {
    const response = await upload(intake, pprofGzip(), PATH);
    statuses.push(response.status);
    if (response.status === 429) assert.ok(Number(response.headers.get("retry-after")) > 0);
    await response.body?.cancel();
  }
  assert.ok(statuses.includes(200) && statuses.includes(429), statuses.join());
  // Each upload that is taken is another: its time is new.
  const taken = statuses.filter((status) => status === 200).length;
  const [row] = await sql`select count(*)::int as count from profiles`;
  assert.equal(row?.count, taken);
  assert.equal((await Array.fromAsync(objects.list("profiles/"))).length, taken);
});
