import postgres from "postgres";
import type { Server } from "../../support/server.ts";
import { figure, rate } from "../figures.ts";
import { cpuSeconds, peakRssMiB } from "../process_stats.ts";
import { makeProjects } from "../projects.ts";
import { serveOn } from "../serve_on.ts";
import { prepareRequests, replay } from "../replay.ts";
import { mixedRequest } from "./requests.ts";

const PROJECTS = 20;
/** Prepared for as-fast-as-possible runs; more than answers come. */
const MAX_RATE = { 1: 2_500, 4: 5_000 } as const;
const STEADY_RATES = [1_000, 400];

/** The mixed load at steady rates and as fast as answers come, on one isolate and on four. */
export async function benchMixed(databaseUrl: string, seconds: number): Promise<void> {
  for (const rate of [...STEADY_RATES, 0]) {
    await using server = await serveOn(databaseUrl, 1);
    await measure(server, { databaseUrl, seconds, rate, isolates: 1 });
  }
  for (const rate of [STEADY_RATES[0] ?? 0, 0]) {
    await using server = await serveOn(databaseUrl, 4);
    await measure(server, { databaseUrl, seconds, rate, isolates: 4 });
  }
}

interface MixedLoad {
  readonly databaseUrl: string;
  readonly seconds: number;
  /** Requests a second; 0 is as fast as answers come. */
  readonly rate: number;
  readonly isolates: 1 | 4;
}

async function measure(server: Server, load: MixedLoad): Promise<void> {
  const { databaseUrl, seconds, isolates } = load;
  const perSec = load.rate === 0 ? MAX_RATE[isolates] : load.rate * 1.1;
  await using warmUp = await prepareRequests(3 * MAX_RATE[isolates], mixedRequest);
  await using requests = await prepareRequests(Math.ceil(seconds * perSec) + 200, mixedRequest);
  const paths = await makeProjects(server, PROJECTS);
  const sending = { url: server.url, paths, rate: load.rate };
  await replay(warmUp, { ...sending, seconds: 3 });
  const before = { items: await accepted(databaseUrl), cpu: cpuSeconds(server.pid) };
  const result = await replay(requests, { ...sending, seconds });
  const cpu = cpuSeconds(server.pid) - before.cpu;
  const count = result.requestsPerSec * seconds;
  console.log(`
mixed load, ${
    load.rate === 0 ? "as fast as answers come" : `${load.rate} requests/s`
  }, ${isolates} isolate${isolates === 1 ? "" : "s"}, ${seconds} s, median ${
    kilobytes(requests.medianBytes)
  } KB (${kilobytes(requests.medianSentBytes)} KB as gzip)`);
  figure("answered requests", `${rate(result.requestsPerSec)} /s, ${result.errors} not 200`);
  figure("latency p50 / p99", `${result.p50Ms.toFixed(1)} / ${result.p99Ms.toFixed(1)} ms`);
  figure("CPU of the service", `${(cpu / count * 10_000).toFixed(2)} s per 10,000 requests`);
  figure("peak memory of the service", `${peakRssMiB(server.pid).toFixed(0)} MiB`);
  const items = await accepted(databaseUrl) - before.items;
  figure("durable items", `${rate(items / seconds)} /s, ${(items / count).toFixed(1)} a request`);
}

/** Errors, transactions, spans, logs, sessions and reports that are stored. */
async function accepted(databaseUrl: string): Promise<number> {
  const sql = postgres(databaseUrl, { max: 1 });
  const [row] = await sql<{ items: string }[]>`
    select coalesce(sum(quantity), 0) as items from outcomes where kind = 'accepted'`;
  await sql.end();
  return Number(row?.items);
}

function kilobytes(bytes: number): string {
  return (bytes / 1_000).toFixed(1);
}
