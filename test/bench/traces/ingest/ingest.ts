import { connectServer, type Sql } from "@/lib/store/database.ts";
import type { Server } from "@/test/support/server.ts";
import { figure, rate } from "../../figures.ts";
import type { MadeRequest } from "../../mixed/requests.ts";
import { cpuSeconds, peakRssMiB } from "../../process_stats.ts";
import { prepareRequests, replay } from "../../replay.ts";
import { serveOn } from "../../serve_on.ts";
import { countSpans, settle, type TableSize, tableSizes } from "../table_sizes.ts";
import { exportRequest, SPANS_PER_EXPORT } from "./otlp_request.ts";
import { exportPaths, makeTargets } from "./targets.ts";
import { SPANS_PER_TRANSACTION, transactionRequest } from "./transaction_request.ts";

const WARM_UP_SEC = 4;

/** A way by which spans come. */
interface Way {
  /** Chooses it on the command line. */
  readonly word: string;
  readonly name: string;
  readonly make: (index: number) => MadeRequest;
  readonly spans: number;
  /** Connections at a time: exporters send one request after the other, and there are few of them. */
  readonly connections: number;
  readonly contentType: string;
  readonly paths: (targets: Awaited<ReturnType<typeof makeTargets>>) => string[];
  /** Prepared; more than answers come. */
  readonly maxRequestsPerSec: number;
}

const WAYS: readonly Way[] = [
  {
    word: "otlp",
    name: "OTLP",
    make: exportRequest,
    spans: SPANS_PER_EXPORT,
    connections: 16,
    contentType: "application/x-protobuf",
    paths: exportPaths,
    maxRequestsPerSec: 120,
  },
  {
    word: "sentry",
    name: "transactions of Sentry's SDKs",
    make: transactionRequest,
    spans: SPANS_PER_TRANSACTION,
    connections: 64,
    contentType: "application/x-sentry-envelope",
    paths: (targets) => targets.map(({ envelopes }) => envelopes),
    maxRequestsPerSec: 2_500,
  },
];

/** Durable spans a second by each protocol, as fast as answers come, on one isolate and on four. */
export async function benchTraces(databaseUrl: string, seconds: number): Promise<void> {
  const only = WAYS.filter(({ word }) => Deno.args.includes(word));
  for (const way of only.length > 0 ? only : WAYS) {
    for (const isolates of [1, 4] as const) {
      await using server = await serveOn(databaseUrl, isolates);
      await measure(server, { way, databaseUrl, seconds, isolates });
    }
  }
}

interface Run {
  readonly way: Way;
  readonly databaseUrl: string;
  readonly seconds: number;
  readonly isolates: 1 | 4;
}

async function measure(server: Server, { way, databaseUrl, seconds, isolates }: Run) {
  await using sql = disposable(databaseUrl);
  const targets = await makeTargets(server);
  const { connections, contentType } = way;
  const sending = { url: server.url, paths: way.paths(targets), connections, contentType, rate: 0 };
  await using warmUp = await prepareRequests(WARM_UP_SEC * way.maxRequestsPerSec, way.make);
  await replay(warmUp, { ...sending, seconds: WARM_UP_SEC });
  await using requests = await prepareRequests(seconds * way.maxRequestsPerSec, way.make);
  const before = await state(sql.client, server.pid);
  const load = await replay(requests, { ...sending, seconds });
  const after = await state(sql.client, server.pid);
  const spans = after.spans - before.spans;
  console.log(`
${way.name}, ${way.spans} spans a request of ${
    Math.round(requests.medianBytes / 1000)
  } KB, ${connections} connections, ${isolates} isolate${isolates === 1 ? "" : "s"}, ${seconds} s`);
  figure("durable spans", `${rate(spans / seconds)} /s`);
  figure("answered requests", `${load.requestsPerSec.toFixed(1)} /s, ${load.errors} not 200`);
  figure("latency p50 / p99", `${load.p50Ms.toFixed(0)} / ${load.p99Ms.toFixed(0)} ms`);
  const cpu = after.cpu - before.cpu;
  figure(
    "CPU of the service",
    `${cpu.toFixed(1)} s, ${rate(spans / cpu)} spans for each second of it`,
  );
  figure("peak memory of the service", `${peakRssMiB(server.pid).toFixed(0)} MiB`);
  printGrowth(before.sizes, after.sizes, spans);
}

function printGrowth(before: readonly TableSize[], after: readonly TableSize[], spans: number) {
  let all = 0;
  for (const [place, { table, bytes, rows }] of after.entries()) {
    const grown = bytes - (before[place]?.bytes ?? 0);
    all += grown;
    const moreRows = rows - (before[place]?.rows ?? 0);
    figure(
      `  ${table}`,
      `${(grown / spans).toFixed(1).padStart(7)} bytes a span, ${moreRows} rows`,
    );
  }
  figure("stored", `${(all / spans).toFixed(1).padStart(7)} bytes a span`);
}

async function state(sql: Sql, pid: number) {
  const [cpu, spans] = [cpuSeconds(pid), await countSpans(sql)];
  await settle(sql);
  return { spans, sizes: await tableSizes(sql), cpu };
}

function disposable(url: string) {
  const client = connectServer(url);
  return { client, [Symbol.asyncDispose]: () => client.end() };
}
