/**
 * Samples a second through `/v1/metrics` and through Prometheus remote write, on one isolate and on four, and beside
 * them VictoriaMetrics with the same remote write, where it is installed. On the Postgres that `TEST_DATABASE_URL` names.
 *
 *   deno run -A test/bench/metrics/ingest.ts [seconds] [one] [four] [victoria]    all, unless named
 */
import { gzipSync } from "node:zlib";
import { compress } from "snappyjs";
import { connectServer } from "@/lib/store/database.ts";
import { attributes, metrics } from "../../lib/formats/otlp/otlp_samples.ts";
import { metricsToProtobuf } from "../../lib/formats/otlp/otlp_to_protobuf.ts";
import { toV1 } from "../../lib/formats/prometheus/to_protobuf.ts";
import { freePort } from "../../support/server.ts";
import { waitFor } from "../../support/wait_for.ts";
import { benchDatabase } from "../database.ts";
import { figure, rate } from "../figures.ts";
import type { MadeRequest } from "../mixed/requests.ts";
import { cpuSeconds, peakRssMiB } from "../process_stats.ts";
import { type PreparedRequests, prepareRequests, replay } from "../replay.ts";
import { serveOn } from "../serve_on.ts";
import { makeTargets } from "../traces/ingest/targets.ts";

const SERIES = 5_000;
const MAX_REQUESTS_PER_SEC = 150;
const CONNECTIONS = 16;
const WARM_UP_SEC = 4;

const seconds = Number(Deno.args.find((word) => /^\d+$/.test(word)) ?? 15);
const isWanted = (word: string) =>
  Deno.args.includes(word) || !Deno.args.some((each) => /^[a-z]+$/.test(each));
/** Requests must not repeat a time, and none may lie in the future. */
const start = Date.now() - 30 * 60_000;

const WAYS = {
  otlp: {
    name: "OTLP, protobuf, gzip",
    path: "/v1/metrics",
    make: otlpRequest,
    contentType: "application/x-protobuf",
    encoding: "gzip",
  },
  remoteWrite: {
    name: "Prometheus remote write 1.0, snappy",
    path: "/api/v1/write",
    make: remoteWriteRequest,
    contentType: "application/x-protobuf",
    encoding: "snappy",
  },
} as const;
type Way = typeof WAYS[keyof typeof WAYS];

const rates = new Map<string, number>();
for (const way of Object.values(WAYS)) {
  await using warmUp = await prepareRequests(WARM_UP_SEC * MAX_REQUESTS_PER_SEC / 2, way.make);
  await using requests = await prepareRequests(
    seconds * MAX_REQUESTS_PER_SEC,
    (index) => way.make(index + 10_000),
  );
  if (isWanted("one")) await benchServer(1, way, warmUp, requests);
  if (isWanted("four")) await benchServer(4, way, warmUp, requests);
  if (isWanted("victoria") && way.path === "/api/v1/write") await benchVictoria(way, requests);
}
const [ours, theirs] = [rates.get("watchpost"), rates.get("victoria")];
if (ours !== undefined && theirs !== undefined) {
  figure("VictoriaMetrics to one isolate", `${(theirs / ours).toFixed(1)} to 1`);
}

async function benchServer(
  isolates: 1 | 4,
  way: Way,
  warmUp: PreparedRequests,
  requests: PreparedRequests,
): Promise<void> {
  await using database = await benchDatabase();
  await using server = await serveOn(database.url, isolates);
  const targets = await makeTargets(server);
  const sending = {
    url: server.url,
    paths: targets.map(({ publicKey }) => `${way.path} ${publicKey}`),
    connections: CONNECTIONS,
    contentType: way.contentType,
    encoding: way.encoding,
    rate: 0,
  };
  await replay(warmUp, { ...sending, seconds: WARM_UP_SEC });
  const before = { cpu: cpuSeconds(server.pid), samples: await accepted(database.url) };
  const load = await replay(requests, { ...sending, seconds });
  const cpu = cpuSeconds(server.pid) - before.cpu;
  const samples = await accepted(database.url) - before.samples;
  console.log(`
${way.name}, ${SERIES} series a request of ${
    Math.round(requests.medianSentBytes / 1000)
  } KB, ${CONNECTIONS} connections, ${isolates} isolate${isolates === 1 ? "" : "s"}, ${seconds} s`);
  figure("durable samples", `${rate(samples / seconds)} /s`);
  figure("answered requests", `${load.requestsPerSec.toFixed(1)} /s, ${load.errors} not 200`);
  figure("latency p50 / p99", `${load.p50Ms.toFixed(0)} / ${load.p99Ms.toFixed(0)} ms`);
  figure(
    "CPU of the service",
    `${cpu.toFixed(1)} s, ${rate(samples / cpu)} samples a second of it`,
  );
  figure("peak memory of the service", `${peakRssMiB(server.pid).toFixed(0)} MiB`);
  if (isolates === 1 && way.path === "/api/v1/write") rates.set("watchpost", samples / seconds);
}

/** Samples that are stored, whether they wait or not: counts are written a moment later. */
async function accepted(databaseUrl: string): Promise<number> {
  const sql = connectServer(databaseUrl);
  try {
    const [row] = await sql<{ samples: number }[]>`
      select (select coalesce(sum(points), 0) from metric_batches)::float8
        + (select coalesce(sum(samples), 0) from metric_stored_blocks where tier = 0)::float8 as samples
    `;
    return row?.samples ?? 0;
  } finally {
    await sql.end();
  }
}

async function benchVictoria(way: Way, requests: PreparedRequests): Promise<void> {
  const data = await Deno.makeTempDir({ prefix: "watchpost-victoria-" });
  const port = freePort();
  let process: Deno.ChildProcess;
  try {
    process = new Deno.Command("victoria-metrics", {
      args: [`-storageDataPath=${data}`, `-httpListenAddr=127.0.0.1:${port}`],
      stdout: "null",
      stderr: "null",
    }).spawn();
  } catch {
    console.log("\nVictoriaMetrics: skipped; it is not installed");
    return;
  }
  try {
    const url = `http://127.0.0.1:${port}`;
    await waitFor("VictoriaMetrics", async () => {
      const answer = await fetch(`${url}/health`).catch(() => null);
      await answer?.body?.cancel();
      return answer?.ok || null;
    });
    const load = await replay(requests, {
      url,
      paths: [way.path],
      connections: CONNECTIONS,
      contentType: way.contentType,
      encoding: way.encoding,
      rate: 0,
      seconds,
    });
    const cpu = cpuSeconds(process.pid);
    const samples = load.requestsPerSec * seconds * SERIES;
    console.log(`\nVictoriaMetrics, ${way.name}, ${SERIES} series a request`);
    figure("answered samples", `${rate(samples / seconds)} /s, ${load.errors} not 200`);
    figure("CPU", `${cpu.toFixed(1)} s, ${rate(samples / cpu)} samples a second of it`);
    rates.set("victoria", samples / seconds);
  } finally {
    process.kill("SIGTERM");
    await process.status;
    await Deno.remove(data, { recursive: true });
  }
}

function labelsOf(index: number): Record<string, string> {
  return {
    "http.request.method": index % 2 === 0 ? "GET" : "POST",
    "http.route": `/api/things/${Math.floor(index / 8)}/:id`,
    "http.response.status_code": String(200 + index % 4),
  };
}

function otlpRequest(index: number): MadeRequest {
  const nanos = `${start + index * 20}000000`;
  const request = metrics([{
    name: "http.server.requests",
    unit: "{request}",
    sum: {
      aggregationTemporality: 2,
      isMonotonic: true,
      dataPoints: Array.from({ length: SERIES }, (_, place) => ({
        startTimeUnixNano: `${start - 60_000}000000`,
        timeUnixNano: nanos,
        asInt: String(place * 17 + index),
        attributes: attributes(labelsOf(place)),
      })),
    },
  }]);
  const bytes = metricsToProtobuf(request);
  return { body: gzipSync(bytes), bytes: bytes.length };
}

function remoteWriteRequest(index: number): MadeRequest {
  const timeMs = start + index * 20;
  const bytes = toV1(Array.from({ length: SERIES }, (_, place) => ({
    labels: {
      __name__: "http_server_requests_total",
      instance: "checkout-1:8080",
      job: "checkout",
      ...Object.fromEntries(
        Object.entries(labelsOf(place)).map(([key, value]) => [key.replaceAll(".", "_"), value]),
      ),
    },
    samples: [{ value: place * 17 + index, timeMs }],
  })));
  return { body: compress(bytes), bytes: bytes.length };
}
