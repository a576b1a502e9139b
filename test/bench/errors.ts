import postgres from "postgres";
import { connectServer } from "@/lib/store/database.ts";
import type { Server } from "../support/server.ts";
import { bareInsert } from "./baseline.ts";
import { jsonParse } from "./limits.ts";
import { type Encoding, errorRequest } from "./mixed/requests.ts";
import { ENVELOPE_BYTES, envelopeRest, VARIANTS } from "./payloads.ts";
import { startBugsink } from "./peers/bugsink.ts";
import { inTurns, type Peer, type Target, type Turns } from "./peers/peer.ts";
import { cpuSeconds, peakRssMiB, postmasterOf, treeCpuSeconds } from "./process_stats.ts";
import { makeProjects } from "./projects.ts";
import { prepareRequests, replay } from "./replay.ts";
import { serveOn } from "./serve_on.ts";
import type { Bench, Bound, Figure } from "./table.ts";

/** More than the default rate of 500/s each can be the limit for. */
const PROJECTS = 20;
/** Prepared; more than answers come. */
const MAX_REQUESTS_PER_SEC = 6_000;
const WARM_UP_SEC = 3;
/** What is said of latency under load is said of this share of the most that goes. */
const STEADY_SHARE = 0.8;
const TIMES = 10_000;
const PEER_ROUNDS = 2;

const requestOf = (encoding: Encoding) => (index: number) =>
  errorRequest(index, ENVELOPE_BYTES, encoding);

/** Durable errors a second, as fast as answers come, beside what a bare batched insert does on this machine. */
export async function benchErrors(bench: Bench): Promise<Figure[]> {
  const { databaseUrl } = bench;
  await using bare = await bareInsert(databaseUrl);
  const limit = { name: "bare insert", value: await bare.run(5) };
  const figures: Figure[] = [];
  {
    await using server = await serveOn(databaseUrl, 1);
    for (const encoding of ["plain", "gzip"] as const) {
      figures.push(...await measure(server, bench, encoding, limit));
    }
    if (bench.withPeers) figures.push(...await besideBugsink(server, bench));
  }
  const cores = navigator.hardwareConcurrency;
  await using server = await serveOn(databaseUrl, cores);
  const load = await loaded(server, bench, "gzip");
  return [...figures, {
    part: "errors",
    figure: `durable, gzip, ${cores} isolates`,
    unit: "/s",
    ours: load.events / bench.seconds,
    limit,
  }];
}

async function measure(
  server: Server,
  bench: Bench,
  encoding: Encoding,
  limit: Bound,
): Promise<Figure[]> {
  const { events, cpu, result, bytes, paths } = await loaded(server, bench, encoding);
  const perSec = events / bench.seconds;
  const steady = Math.round(perSec * STEADY_SHARE);
  await using requests = await prepareRequests(
    Math.ceil(steady * bench.seconds * 1.1),
    requestOf(encoding),
  );
  const calm = await replay(requests, {
    ...{ url: server.url, paths, encoding, rate: steady, seconds: bench.seconds },
  });
  const texts = Array.from({ length: VARIANTS }, (_, variant) => {
    const text = envelopeRest(variant);
    return text.slice(text.indexOf("\n") + 1);
  });
  const of = (figure: string, unit: string, ours: number, bound?: Bound): Figure => ({
    part: "errors",
    figure: `${figure}, ${encoding}`,
    unit,
    ours,
    limit: bound,
  });
  return [
    of("durable", "/s", perSec, limit),
    of("not 200", "requests", result.errors),
    of("CPU of the service per 10,000", "s", cpu / events * TIMES, jsonParse(texts, TIMES)),
    of("p50 at the most", "ms", result.p50Ms),
    of("p99 at the most", "ms", result.p99Ms),
    of(`p99 at ${STEADY_SHARE * 100} % of it`, "ms", calm.p99Ms),
    of("peak memory", "MiB", peakRssMiB(server.pid)),
    of("stored for each", "bytes", bytes / events),
  ];
}

async function loaded(
  server: Server,
  { databaseUrl, seconds }: Bench,
  encoding: Encoding,
) {
  const paths = await makeProjects(server, PROJECTS);
  const make = requestOf(encoding);
  await using warmUp = await prepareRequests(WARM_UP_SEC * MAX_REQUESTS_PER_SEC, make);
  await using requests = await prepareRequests(seconds * MAX_REQUESTS_PER_SEC, make);
  const sending = { url: server.url, paths, encoding, rate: 0 };
  await replay(warmUp, { ...sending, seconds: WARM_UP_SEC });
  const before = { ...await stored(databaseUrl), cpu: cpuSeconds(server.pid) };
  const result = await replay(requests, { ...sending, seconds });
  const after = { ...await stored(databaseUrl), cpu: cpuSeconds(server.pid) };
  return {
    paths,
    result,
    events: after.rows - before.rows,
    cpu: after.cpu - before.cpu,
    bytes: after.bytes - before.bytes,
  };
}

/** The same requests to Bugsink, in turns. */
async function besideBugsink(server: Server, bench: Bench): Promise<Figure[]> {
  await using bugsink = await startBugsink();
  if (bugsink === null) return [];
  await using ours = await serviceTarget(server, bench.databaseUrl);
  const prepare = (perSec: number) => () =>
    prepareRequests(Math.ceil(bench.seconds * perSec), requestOf("gzip"));
  const load = { seconds: bench.seconds, encoding: "gzip", connections: 16 } as const;
  const [own, theirs] = await inTurns([ours, bugsink], PEER_ROUNDS, {
    ...load,
    prepare: prepare(MAX_REQUESTS_PER_SEC),
  });
  return own === undefined || theirs === undefined ? [] : compared(own, theirs, bugsink);
}

function compared(own: Turns, theirs: Turns, { name }: Peer): Figure[] {
  const of = (figure: string, unit: string, value: (turns: Turns) => number): Figure => ({
    part: "errors",
    figure: `${figure}, gzip, 16 connections`,
    unit,
    ours: value(own),
    peer: { name, value: value(theirs) },
  });
  return [
    of("durable", "/s", ({ perSec }) => perSec),
    of("CPU with the database's per 10,000", "s", ({ cpuEach }) => cpuEach * TIMES),
  ];
}

/** The service with its Postgres, as one of those that are compared. */
export async function serviceTarget(
  server: Server,
  databaseUrl: string,
): Promise<Target & AsyncDisposable> {
  const sql = connectServer(databaseUrl);
  const postmaster = await postmasterOf(sql);
  const paths = await makeProjects(server, PROJECTS);
  return {
    name: "Watchpost",
    url: server.url,
    paths,
    cpu: () => treeCpuSeconds(server.pid) + treeCpuSeconds(postmaster),
    stored: async () => (await stored(databaseUrl)).rows,
    [Symbol.asyncDispose]: () => sql.end(),
  };
}

async function stored(databaseUrl: string): Promise<{ rows: number; bytes: number }> {
  const sql = postgres(databaseUrl, { max: 1 });
  const [row] = await sql<{ rows: string; bytes: string }[]>`
    select (select count(*) from events) as rows, pg_database_size(current_database()) as bytes`;
  await sql.end();
  return { rows: Number(row?.rows), bytes: Number(row?.bytes) };
}
