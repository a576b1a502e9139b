import assert from "node:assert/strict";
import { gunzipSync } from "node:zlib";
import { adviceFor } from "../../lib/usage/reasons.ts";
import { pprofBytes, pprofGzip } from "../support/pprof.ts";
import { type TestIntake, testIntake } from "../support/test_intake.ts";

const NAME = encodeURIComponent("shop.cpu{env=prod,region=eu,service_version=1.2,hostname=web-1}");

function push(
  { send, serverKey }: TestIntake,
  body: FormData | Uint8Array<ArrayBuffer> | string,
  query = `?name=${NAME}&format=pprof`,
  headers: Record<string, string> = { authorization: `Bearer ${serverKey}` },
): Promise<Response> {
  return send(`/ingest${query}`, { method: "POST", body, headers });
}

function form(fields: Record<string, Uint8Array<ArrayBuffer> | string>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) {
    form.set(name, new Blob([value]), `${name}.bin`);
  }
  return form;
}

async function stored({ services: { sql } }: TestIntake) {
  return [
    ...await sql`
      select service, environment, release, instance, kind, platform, labels, types, totals, is_delta, duration_ms,
        "timestamp", blob_key
      from profiles order by received_at
    `,
  ];
}

Deno.test("a push in a form is stored with what its name says, and answered with nothing", async () => {
  await using intake = await testIntake();
  const from = Math.floor(Date.now() / 1000) - 60;
  const query = `?name=${NAME}&from=${from}&until=${from + 10}&sampleRate=100&spyName=gospy`;
  const body = form({ profile: pprofGzip(), prev_profile: pprofGzip(), sample_type_config: "{}" });
  const response = await push(intake, body, query);
  assert.equal(response.status, 200);
  assert.equal(await response.text(), "");
  const [row] = await stored(intake);
  const { timestamp, blob_key: _, ...rest } = row ?? {};
  assert.equal(timestamp.getTime(), from * 1000);
  assert.deepEqual(rest, {
    service: "shop",
    environment: "prod",
    release: "1.2",
    instance: "web-1",
    kind: "cpu",
    platform: "go",
    labels: { region: ["eu"], hostname: ["web-1"] },
    types: ["samples:count", "cpu:nanoseconds"],
    totals: ["4", "40000000"],
    is_delta: true,
    duration_ms: 10_000,
  });
  await intake.outcomes({ accepted: 1 });
});

Deno.test("a push comes raw as well, compressed or not", async () => {
  await using intake = await testIntake();
  for (const [index, body] of [pprofGzip(), pprofBytes()].entries()) {
    const response = await push(intake, body, `?name=a${index}&format=pprof`);
    assert.equal(response.status, 200, await response.text());
  }
  assert.equal((await stored(intake)).length, 2);
});

Deno.test("what an agent says of its types tells the kind, and whether values began with the process", async () => {
  await using intake = await testIntake();
  const locks = {
    sampleTypes: [{ type: "contentions", unit: "count" }, { type: "delay", unit: "nanoseconds" }],
    durationNanos: 0n,
  };
  const profile = pprofGzip([{ stack: ["a"], values: [1n, 2n] }], locks);
  const config = (name: string, cumulative: boolean) =>
    JSON.stringify({
      contentions: { units: "lock_samples", "display-name": `${name}_count`, cumulative },
      delay: { units: "lock_nanoseconds", "display-name": `${name}_duration`, cumulative },
    });
  const configs = [config("mutex", true), config("block", false), "not JSON"];
  for (const [index, sampleTypeConfig] of configs.entries()) {
    const body = form({ profile, sample_type_config: sampleTypeConfig });
    const response = await push(intake, body, `?name=a${index}`);
    assert.equal(response.status, 200, await response.text());
  }
  const rows = await stored(intake);
  assert.deepEqual(rows.map(({ kind, is_delta: isDelta }) => [kind, isDelta]), [
    ["mutex", false],
    ["block", true],
    ["lock", false],
  ]);
});

Deno.test("collapsed stacks become a pprof with their counts, and time on the CPU", async () => {
  await using intake = await testIntake();
  const { objects } = intake.services;
  const folded = "main;work;read file 3\nmain;work 2\r\n\n";
  for (
    const query of [
      "?name=a",
      "?name=b&format=folded&sampleRate=50",
      "?name=c.wall&format=collapsed",
      "?name=d&units=bytes&format=folded",
    ]
  ) {
    const response = await push(intake, folded, query);
    assert.equal(response.status, 200, await response.text());
  }
  const lines = await push(intake, "main;work\nmain;work\nmain", "?name=e&format=lines");
  assert.equal(lines.status, 200, await lines.text());
  const rows = await stored(intake);
  assert.deepEqual(rows.map(({ service, types, totals }) => [service, types, totals]), [
    ["a", ["samples:count", "cpu:nanoseconds"], ["5", "50000000"]],
    ["b", ["samples:count", "cpu:nanoseconds"], ["5", "100000000"]],
    ["c", ["samples:count", "wall:nanoseconds"], ["5", "50000000"]],
    ["d", ["alloc_space:bytes"], ["5"]],
    ["e", ["samples:count", "cpu:nanoseconds"], ["3", "30000000"]],
  ]);
  const blob = await objects.get(rows[0]?.blob_key);
  assert.match(new TextDecoder().decode(gunzipSync(blob ?? "")), /read file/);
});

Deno.test("the key comes as a bearer token, or in Basic authentication on either side", async () => {
  await using intake = await testIntake();
  const { serverKey, browserKey } = intake;
  const basic = (pair: string) => ({ authorization: `Basic ${btoa(pair)}` });
  const statuses: number[] = [];
  for (
    const headers of [
      basic(`123456:${serverKey}`),
      basic(`${serverKey}:`),
      basic(serverKey),
      basic(`:${browserKey}`),
      basic("me:secret"),
      { authorization: "Basic %%%" },
      {},
    ]
  ) {
    const response = await push(intake, pprofGzip(), `?name=a&format=pprof`, headers);
    await response.body?.cancel();
    statuses.push(response.status);
  }
  assert.deepEqual(statuses, [200, 200, 200, 403, 401, 401, 401]);
});

Deno.test("what can not be read is refused with what is wrong, and nothing is stored", async () => {
  await using intake = await testIntake();
  const { services: { objects } } = intake;
  const many = new FormData();
  for (let index = 0; index < 100; index++) many.append("profile", "x");
  const cases: readonly (readonly [
    query: string,
    body: FormData | Uint8Array<ArrayBuffer> | string,
    status: number,
    says: RegExp,
  ])[] = [
    ["?format=pprof", pprofGzip(), 400, /^The parameter name is missing/],
    ["?name={a=b}&format=pprof", pprofGzip(), 400, /^The parameter name is missing/],
    ["?name=a{b=c&format=pprof", pprofGzip(), 400, /not closed/],
    ["?name=a{b}&format=pprof", pprofGzip(), 400, /"b", which is not key=value/],
    ["?name=a&from=soon&format=pprof", pprofGzip(), 400, /^The parameter from /],
    ["?name=a&format=jfr", pprofGzip(), 415, /collapsed stacks, or make pprof/],
    ["?name=a&format=speedscope", "{}", 415, /send pprof/],
    ["?name=a&format=pprof", "{}", 400, /JSON/],
    ["?name=a", "main;work", 400, /^Line 1 is no stack with a count/],
    ["?name=a", "main 1\nmain;work x", 400, /^Line 2 /],
    ["?name=a", form({ other: "x" }), 400, /no field "profile"/],
    ["?name=a", many, 400, /more than 32 fields/],
    ["?name=a", form({ profile: "x" }), 400, /./],
  ];
  for (const [query, body, status, says] of cases) {
    const response = await push(intake, body, query);
    assert.equal(response.status, status, query);
    assert.match((await response.json()).detail, says, query);
  }
  const { serverKey } = intake;
  const broken = await push(intake, "nonsense", "?name=a", {
    authorization: `Bearer ${serverKey}`,
    "content-type": "multipart/form-data; boundary=x",
  });
  assert.equal(broken.status, 400);
  assert.match((await broken.json()).detail, /not the form/);
  assert.deepEqual(await stored(intake), []);
  assert.deepEqual(await Array.fromAsync(objects.list("profiles/")), []);
});

Deno.test("the same push twice is stored once", async () => {
  await using intake = await testIntake();
  const body = pprofGzip();
  for (let time = 0; time < 2; time++) {
    const response = await push(intake, form({ profile: body }), "?name=a&from=now&until=now");
    assert.equal(response.status, 200, await response.text());
  }
  for (let time = 0; time < 2; time++) {
    const response = await push(intake, form({ profile: body }), "?name=b");
    assert.equal(response.status, 200, await response.text());
  }
  assert.equal((await stored(intake)).filter(({ service }) => service === "b").length, 1);
});

const CONNECT = "/push.v1.PusherService/Push";
const PYTHON = new URL("../fixtures/pyroscope/python-1.4.0/push.pb.gz", import.meta.url);

/** A field of a protobuf message that holds bytes; shorter than 128. */
function field(number: number, bytes: Uint8Array | string): Uint8Array<ArrayBuffer> {
  const content = typeof bytes === "string" ? new TextEncoder().encode(bytes) : bytes;
  return Uint8Array.of(number << 3 | 2, content.length, ...content);
}

function connect(
  { send, serverKey }: TestIntake,
  body: Uint8Array<ArrayBuffer>,
  headers: Record<string, string> = {},
): Promise<Response> {
  const authorization = `Basic ${btoa(`any:${serverKey}`)}`;
  return send(CONNECT, {
    method: "POST",
    body,
    headers: { "content-type": "application/proto", authorization, ...headers },
  });
}

Deno.test("what Pyroscope's Python agent 1.4 pushes by Connect is stored as it says", async () => {
  await using intake = await testIntake();
  const response = await connect(intake, await Deno.readFile(PYTHON), {
    "content-encoding": "gzip",
  });
  assert.equal(response.status, 200);
  assert.equal(response.headers.get("content-type"), "application/proto");
  assert.equal((await response.bytes()).length, 0);
  const [row] = await stored(intake);
  assert.deepEqual(
    [row?.service, row?.environment, row?.platform, row?.kind, row?.types],
    ["checkout", "production", "python", "cpu", ["cpu:nanoseconds"]],
  );
  assert.deepEqual(row?.labels.region, ["eu"]);
  await intake.outcomes({ accepted: 1 });
});

Deno.test("a Connect push that cannot be taken is answered in Connect's words", async () => {
  await using intake = await testIntake();
  const none = field(1, new Uint8Array());
  const damaged = field(1, field(2, field(1, "Could not enable CPU profiling: in use")));
  const many = new Uint8Array(2 * 1_000);
  for (let at = 0; at < many.length; at += 2) many.set(none, at);
  const cases: [Uint8Array<ArrayBuffer>, Record<string, string>, number, string, RegExp][] = [
    [damaged, {}, 400, "invalid_argument", /the text "Could not enable CPU profiling: in use"/],
    [Uint8Array.of(0xff, 0xff), {}, 400, "invalid_argument", /no protobuf|bytes end/],
    [many, {}, 413, "resource_exhausted", /more than 32 profiles/],
    [none, { "content-type": "application/json" }, 415, "unimplemented", /application\/proto/],
    [none, { authorization: `Bearer ${"0".repeat(32)}` }, 401, "unauthenticated", /./],
  ];
  for (const [body, headers, status, code, message] of cases) {
    const response = await connect(intake, body, headers);
    const answer = await response.json();
    assert.deepEqual([response.status, answer.code], [status, code], JSON.stringify(answer));
    assert.match(answer.message, message);
  }
  // A push may bring nothing.
  assert.equal((await connect(intake, none)).status, 200);
  assert.deepEqual(await stored(intake), []);
});

Deno.test("the Java agent's recordings are refused with what to send instead, in the doctor too", async () => {
  await using intake = await testIntake();
  const recording = Uint8Array.from([..."FLR\0\0\x02"].map((each) => each.charCodeAt(0)));
  const query = "?name=jshop&units=samples&spyName=javaspy&sampleRate=100&format=jfr";
  const ways: [FormData | Uint8Array<ArrayBuffer>, string][] = [
    [form({ jfr: recording, labels: "" }), query],
    [recording, "?name=jshop"],
  ];
  for (const [body, asked] of ways) {
    const response = await push(intake, body, asked);
    assert.equal(response.status, 415);
    const { detail } = await response.json();
    assert.match(detail, /JFR.* Java agent .* not taken\. .*collapsed stacks.*jfrconv -o pprof/);
  }
  assert.match(adviceFor("jfr").todo, /collapsed stacks.*jfrconv -o pprof/);
  await intake.outcomes({ "unsupported/jfr": 2 });
});
