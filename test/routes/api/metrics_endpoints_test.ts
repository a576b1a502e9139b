import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import { compress } from "snappyjs";
import { metrics } from "../../lib/formats/otlp/otlp_samples.ts";
import { metricsToProtobuf } from "../../lib/formats/otlp/otlp_to_protobuf.ts";
import { toV1, toV2 } from "../../lib/formats/prometheus/to_protobuf.ts";
import { buildServices } from "@/lib/server/services.ts";
import { apiApp, type Send } from "../../support/api_app.ts";
import { silentLogger } from "../../support/silent_logger.ts";
import { testIntake } from "../../support/test_intake.ts";
import { PATIENT } from "../../support/writer.ts";

/** Nanoseconds since 1970, so many milliseconds ago. */
const nanosAgo = (ms: number) => String(BigInt(Date.now() - ms) * 1_000_000n);

function requests(...values: unknown[]): Record<string, unknown> {
  const dataPoints = values.map((asDouble, index) => ({
    timeUnixNano: nanosAgo(1_000 * (values.length - index)),
    asDouble,
  }));
  return metrics([{
    name: "requests",
    sum: { aggregationTemporality: 2, isMonotonic: true, dataPoints },
  }]);
}

async function post(
  { send, serverKey }: Awaited<ReturnType<typeof testIntake>>,
  path: string,
  body: string | Uint8Array,
  headers: Record<string, string>,
) {
  const response = await send(path, {
    method: "POST",
    headers: { authorization: `Bearer ${serverKey}`, ...headers },
    body: typeof body === "string" ? body : new Uint8Array(body),
  });
  return { status: response.status, headers: response.headers, bytes: await response.bytes() };
}

Deno.test("metrics in either encoding of OTLP are stored as series and points", async () => {
  await using intake = await testIntake();
  const { services: { sql } } = intake;
  const protobuf = { "content-type": "application/x-protobuf" };
  const json = { "content-type": "application/json" };
  const first = await post(intake, "/v1/metrics", JSON.stringify(requests(1, 2)), json);
  assert.equal(first.status, 200);
  assert.equal(new TextDecoder().decode(first.bytes), "{}");
  const zipped = gzipSync(metricsToProtobuf(requests(3, 4, 5)));
  const second = await post(intake, "/v1/metrics/", zipped, {
    ...protobuf,
    "content-encoding": "gzip",
  });
  assert.deepEqual([second.status, second.bytes.length], [200, 0]);
  assert.equal(second.headers.get("content-type"), "application/x-protobuf");
  const series = await sql`select service, environment, release, temporality from metric_series`;
  assert.deepEqual(series.map((row) => ({ ...row })), [{
    service: "checkout",
    environment: "production",
    release: "1.4.2",
    temporality: "cumulative",
  }]);
  await intake.outcomes({ accepted: 5 });
});

Deno.test("points that are not taken are told in a partial success, and the good ones stored", async () => {
  await using intake = await testIntake();
  const request = requests(1, "NaN", "Infinity");
  const json = await post(intake, "/v1/metrics", JSON.stringify(request), {
    "content-type": "application/json",
  });
  assert.deepEqual(JSON.parse(new TextDecoder().decode(json.bytes)), {
    partialSuccess: {
      rejectedDataPoints: "2",
      errorMessage: "2 data points were rejected: a value is NaN or infinite.",
    },
  });
  const protobuf = await post(intake, "/v1/metrics", metricsToProtobuf(requests(NaN)), {
    "content-type": "application/x-protobuf",
  });
  const message = "1 data point was rejected: a value is NaN or infinite.";
  assert.deepEqual([...protobuf.bytes], [
    0x0a,
    message.length + 4,
    0x08,
    1,
    0x12,
    message.length,
    ...new TextEncoder().encode(message),
  ]);
  await intake.outcomes({ accepted: 1, "invalid/not_finite": 3 });
});

Deno.test("40,000 points in one request are taken", async () => {
  await using intake = await testIntake();
  const time = nanosAgo(1_000);
  const dataPoints = Array.from({ length: 40_000 }, (_, asInt) => ({ timeUnixNano: time, asInt }));
  const body = metricsToProtobuf(metrics([{ name: "many", gauge: { dataPoints } }]));
  const { status, bytes } = await post(intake, "/v1/metrics", gzipSync(body), {
    "content-type": "application/x-protobuf",
    "content-encoding": "gzip",
  });
  assert.deepEqual([status, bytes.length], [200, 0]);
  await intake.outcomes({ accepted: 40_000 });
});

Deno.test("remote write of both versions is stored, compressed with snappy", async () => {
  await using intake = await testIntake();
  const { services: { sql } } = intake;
  const series = [{
    labels: { __name__: "up", job: "shop", env: "eu" },
    samples: [{ value: 1, timeMs: Date.now() - 500 }],
  }];
  const headers = { "content-encoding": "snappy", "x-prometheus-remote-write-version": "0.1.0" };
  const v1 = await post(intake, "/api/v1/write", compress(toV1(series)), {
    ...headers,
    "content-type": "application/x-protobuf",
  });
  assert.equal(v1.status, 204);
  const v2 = await post(intake, "/api/v1/write/", compress(toV2(series)), {
    ...headers,
    "content-type": "application/x-protobuf;proto=io.prometheus.write.v2.Request",
  });
  assert.equal(v2.status, 204);
  assert.equal(v2.headers.get("x-prometheus-remote-write-samples-written"), "1");
  const rows = await sql`select service, environment, temporality from metric_series`;
  assert.deepEqual(rows.map((row) => ({ ...row })), [
    { service: "shop", environment: "eu", temporality: "level" },
  ]);
  await intake.outcomes({ accepted: 2 });
});

Deno.test("remote write that cannot be read is refused in words", async () => {
  await using intake = await testIntake();
  const type = { "content-type": "application/x-protobuf" };
  const broken = await post(intake, "/api/v1/write", new Uint8Array([5, 0xfc, 1]), {
    ...type,
    "content-encoding": "snappy",
  });
  assert.equal(broken.status, 400);
  assert.match(new TextDecoder().decode(broken.bytes), /Content-Encoding or is truncated\n$/);
  const text = await post(intake, "/api/v1/write", "up 1", { "content-type": "text/plain" });
  assert.equal(text.status, 415);
  const get = await intake.send("/api/v1/write");
  assert.deepEqual([get.status, get.headers.get("allow")], [405, "POST, OPTIONS"]);
  await get.body?.cancel();
});

Deno.test("exemplars are stored with their trace, also when they come by themselves", async () => {
  await using intake = await testIntake();
  const { services: { sql } } = intake;
  const traceId = "5b8efff798038103d269b633813fc60c";
  const labels = { __name__: "jobs_total" };
  const exemplar = { labels: { trace_id: traceId }, value: 2, timeMs: Date.now() - 400 };
  const body = compress(toV1([
    { labels: { ...labels, a: "1" }, samples: [{ value: 1, timeMs: Date.now() - 500 }] },
    { labels, exemplars: [exemplar] },
  ]));
  const { status } = await post(intake, "/api/v1/write", body, {
    "content-type": "application/x-protobuf",
    "content-encoding": "snappy",
  });
  assert.equal(status, 204);
  const rows = await sql`select replace(trace_id::text, '-', '') as trace_id from metric_exemplars`;
  assert.deepEqual(rows.map((row) => row.trace_id), [traceId]);
  await intake.outcomes({ accepted: 1 });
});

Deno.test("what remote write 1.0 says of metrics is known to every process, and describes what came before", async () => {
  await using intake = await testIntake();
  const { services, serverKey, project } = intake;
  const { config, kv, sql, objects } = services;
  const other = buildServices(config, silentLogger, { kv, sql, objects }, { writer: PATIENT });
  try {
    const write = async (send: Send, body: Uint8Array) => {
      const response = await send("/api/v1/write", {
        method: "POST",
        headers: {
          authorization: `Bearer ${serverKey}`,
          "content-type": "application/x-protobuf",
          "content-encoding": "snappy",
        },
        body: new Uint8Array(compress(body)),
      });
      await response.body?.cancel();
      assert.equal(response.status, 204);
    };
    const names = Array.from({ length: 500 }, (_, n) => `jobs${n}`);
    const families = names.map((name) => ({ type: 1, name, help: `Of ${name}` }));
    const samples = (suffix: string) =>
      toV1(names.map((name) => ({
        labels: { __name__: name + suffix },
        samples: [{ value: 1, timeMs: Date.now() - 1_000 }],
      })));
    await write(intake.send, samples("_total"));
    // Requests of their own, to another process than the samples.
    await write(apiApp(other), toV1([], families));
    const described = () =>
      sql<{ count: number }[]>`
        select count(*)::int as count from metrics
        where project_id = ${project.id} and description = 'Of ' || replace(name, '_total', '')
      `;
    assert.equal((await described())[0]?.count, 500, "those that came before");
    const third = buildServices(config, silentLogger, { kv, sql, objects }, { writer: PATIENT });
    await write(apiApp(third), samples(""));
    await third.close();
    const kinds = await sql`
      select distinct kind from metrics where project_id = ${project.id} and name = any (${names})
    `;
    assert.deepEqual(kinds.map(({ kind }) => kind), ["counter"], "after a start as well");
    assert.equal((await described())[0]?.count, 1_000);
  } finally {
    await other.close();
  }
});
