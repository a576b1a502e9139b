import { connectServer, type Sql } from "@/lib/store/database.ts";
import type { Server } from "@/test/support/server.ts";
import { copied } from "../../limits.ts";
import { isolatesOf } from "../../mixed/mixed.ts";
import type { MadeRequest } from "../../mixed/requests.ts";
import { startJaeger } from "../../peers/jaeger.ts";
import { inTurns } from "../../peers/peer.ts";
import { cpuSeconds, peakRssMiB, postmasterOf, treeCpuSeconds } from "../../process_stats.ts";
import { prepareRequests, replay } from "../../replay.ts";
import { serveOn } from "../../serve_on.ts";
import type { Bench, Bound, Figure } from "../../table.ts";
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
export async function benchTraces(bench: Bench): Promise<Figure[]> {
  const only = WAYS.filter(({ word }) => Deno.args.includes(word));
  const figures: Figure[] = [];
  for (const way of only.length > 0 ? only : WAYS) {
    for (const isolates of [1, 4] as const) {
      await using server = await serveOn(bench.databaseUrl, isolates);
      figures.push(...await measure(server, { ...bench, way, isolates }));
      const hasPeer = bench.withPeers && isolates === 1 && way.word === "otlp";
      if (hasPeer) figures.push(...await besideJaeger(server, bench, way));
    }
  }
  return figures;
}

interface Run extends Bench {
  readonly way: Way;
  readonly isolates: 1 | 4;
}

async function measure(server: Server, run: Run): Promise<Figure[]> {
  const { way, databaseUrl, seconds, isolates } = run;
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
  const cpu = after.cpu - before.cpu;
  const bytes = Array.from({ length: 8 }, (_, index) => way.make(index).body);
  const of = (figure: string, unit: string, ours: number, limit?: Bound): Figure => ({
    part: "traces",
    figure: `${figure}, ${way.name}, ${isolatesOf(isolates)}`,
    unit,
    ours,
    limit,
  });
  return [
    of("durable spans", "/s", spans / seconds),
    of("not 200", "requests", load.errors),
    of("p50", "ms", load.p50Ms),
    of("p99", "ms", load.p99Ms),
    of("CPU of the service a million", "s", cpu / spans * 1e6, copied(bytes, 1e6 / way.spans)),
    of("peak memory", "MiB", peakRssMiB(server.pid)),
    ...growth(before.sizes, after.sizes, spans).map(([table, ours]) =>
      of(`stored in ${table} a span`, "bytes", ours)
    ),
  ];
}

/** Bytes a span by table, and of all. */
function growth(
  before: readonly TableSize[],
  after: readonly TableSize[],
  spans: number,
): [table: string, bytes: number][] {
  const grown = after.map(({ table, bytes }, place): [string, number] => [
    table,
    (bytes - (before[place]?.bytes ?? 0)) / spans,
  ]);
  return [...grown, ["all", grown.reduce((sum, [, bytes]) => sum + bytes, 0)]];
}

const PEER_ROUNDS = 2;

/** The same exports to Jaeger, in turns. */
async function besideJaeger(server: Server, bench: Bench, way: Way): Promise<Figure[]> {
  await using jaeger = await startJaeger();
  if (jaeger === null) return [];
  await using sql = disposable(bench.databaseUrl);
  const postmaster = await postmasterOf(sql.client);
  const ours = {
    name: "Watchpost",
    url: server.url,
    paths: way.paths(await makeTargets(server)),
    cpu: () => treeCpuSeconds(server.pid) + treeCpuSeconds(postmaster),
    stored: () => countSpans(sql.client),
  };
  const { connections, contentType, maxRequestsPerSec, make } = way;
  const { seconds } = bench;
  const prepare = () => prepareRequests(seconds * maxRequestsPerSec, make);
  const load = { seconds, connections, contentType, prepare };
  const [own, theirs] = await inTurns([ours, jaeger], PEER_ROUNDS, load);
  if (own === undefined || theirs === undefined) return [];
  const of = (figure: string, unit: string, mine: number, value: number): Figure => ({
    part: "traces",
    figure: `${figure}, ${way.name}, in turns`,
    unit,
    ours: mine,
    peer: { name: jaeger.name, value },
  });
  return [
    of("stored spans", "/s", own.perSec, theirs.perSec),
    of("CPU with the database's a million", "s", own.cpuEach * 1e6, theirs.cpuEach * 1e6),
  ];
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
