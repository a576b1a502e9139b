import postgres from "postgres";
import type { Server } from "../../support/server.ts";
import { cpuSeconds, peakRssMiB } from "../process_stats.ts";
import { makeProjects } from "../projects.ts";
import { prepareRequests, replay } from "../replay.ts";
import { serveOn } from "../serve_on.ts";
import type { Bench, Figure } from "../table.ts";
import { mixedRequest } from "./requests.ts";

const PROJECTS = 20;
/** Prepared for as-fast-as-possible runs; more than answers come. */
const MAX_RATE = { 1: 2_500, 4: 5_000 } as const;
const STEADY_RATES = [1_000, 400];
const TIMES = 10_000;

/** The mixed load at steady rates and as fast as answers come, on one isolate and on four. */
export async function benchMixed({ databaseUrl, seconds }: Bench): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const rate of [...STEADY_RATES, 0]) {
    await using server = await serveOn(databaseUrl, 1);
    figures.push(...await measure(server, { databaseUrl, seconds, rate, isolates: 1 }));
  }
  for (const rate of [STEADY_RATES[0] ?? 0, 0]) {
    await using server = await serveOn(databaseUrl, 4);
    figures.push(...await measure(server, { databaseUrl, seconds, rate, isolates: 4 }));
  }
  return figures;
}

interface MixedLoad {
  readonly databaseUrl: string;
  readonly seconds: number;
  /** Requests a second; 0 is as fast as answers come. */
  readonly rate: number;
  readonly isolates: 1 | 4;
}

async function measure(server: Server, load: MixedLoad): Promise<Figure[]> {
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
  const items = await accepted(databaseUrl) - before.items;
  const what = `${load.rate === 0 ? "at the most" : `at ${load.rate}/s`}, ${isolatesOf(isolates)}`;
  const of = (figure: string, unit: string, ours: number): Figure => ({
    part: "mixed",
    figure: `${figure} ${what}`,
    unit,
    ours,
  });
  return [
    of("answered", "/s", result.requestsPerSec),
    of("not 200", "requests", result.errors),
    of("p50", "ms", result.p50Ms),
    of("p99", "ms", result.p99Ms),
    of("CPU of the service per 10,000", "s", cpu / count * TIMES),
    of("peak memory", "MiB", peakRssMiB(server.pid)),
    of("durable items", "/s", items / seconds),
  ];
}

/** `1 isolate` or `4 isolates`. */
export function isolatesOf(count: number): string {
  return `${count} isolate${count === 1 ? "" : "s"}`;
}

/** Errors, transactions, spans, logs, sessions and reports that are stored. */
async function accepted(databaseUrl: string): Promise<number> {
  const sql = postgres(databaseUrl, { max: 1 });
  const [row] = await sql<{ items: string }[]>`
    select coalesce(sum(quantity), 0) as items from outcomes where kind = 'accepted'`;
  await sql.end();
  return Number(row?.items);
}
