import postgres from "postgres";
import { type Server, startServer } from "../support/server.ts";
import { bareInsertsPerSec } from "./baseline.ts";
import { figure, rate } from "./figures.ts";
import { cpuSeconds, peakRssMiB } from "./process_stats.ts";
import { type Encoding, errorRequest } from "./mixed/requests.ts";
import { ENVELOPE_BYTES } from "./payloads.ts";
import { makeProjects } from "./projects.ts";
import { prepareRequests, replay } from "./replay.ts";

/** More than the default rate of 500/s each can be the limit for. */
const PROJECTS = 20;
/** Prepared; more than answers come. */
const MAX_REQUESTS_PER_SEC = 4_000;

/** Durable errors a second, as fast as answers come, beside what a bare batched insert does on this machine. */
export async function benchErrors(databaseUrl: string, seconds: number): Promise<void> {
  const bare = await bareInsertsPerSec(databaseUrl, 5);
  figure("bare batched insert", `${rate(bare)} rows/s`);
  // One for both: a database belongs to the installation that began it.
  await using server = await startServer({ DATABASE_URL: databaseUrl, LOG_FORMAT: "json" });
  for (const encoding of ["plain", "gzip"] as const) {
    await measure(server, { databaseUrl, encoding, seconds, bare });
  }
}

interface ErrorLoad {
  readonly databaseUrl: string;
  readonly encoding: Encoding;
  readonly seconds: number;
  readonly bare: number;
}

async function measure(
  server: Server,
  { databaseUrl, encoding, seconds, bare }: ErrorLoad,
): Promise<void> {
  const paths = await makeProjects(server, PROJECTS);
  const make = (index: number) => errorRequest(index, ENVELOPE_BYTES, encoding);
  await using warmUp = await prepareRequests(3 * MAX_REQUESTS_PER_SEC, make);
  await using requests = await prepareRequests(seconds * MAX_REQUESTS_PER_SEC, make);
  const sending = { url: server.url, paths, encoding, rate: 0 };
  await replay(warmUp, { ...sending, seconds: 3 });
  const before = { ...await stored(databaseUrl), cpu: cpuSeconds(server.pid) };
  const load = await replay(requests, { ...sending, seconds });
  const after = { ...await stored(databaseUrl), cpu: cpuSeconds(server.pid) };
  const events = after.rows - before.rows;
  const perSec = events / seconds;
  console.log(`\n${encoding} envelopes of one error, 64 connections, ${seconds} s`);
  figure(
    "durable events",
    `${rate(perSec)} /s   (${(perSec / bare).toFixed(2)} of the bare insert)`,
  );
  figure("answered requests", `${rate(load.requestsPerSec)} /s, ${load.errors} not 200`);
  figure("latency p50 / p99", `${load.p50Ms.toFixed(1)} / ${load.p99Ms.toFixed(1)} ms`);
  const cpu = (after.cpu - before.cpu) / events * 10_000;
  figure("CPU of the service", `${cpu.toFixed(2)} s per 10,000 events`);
  figure("peak memory of the service", `${peakRssMiB(server.pid).toFixed(0)} MiB`);
  figure("stored", `${Math.round((after.bytes - before.bytes) / events)} bytes per event`);
}

async function stored(databaseUrl: string): Promise<{ rows: number; bytes: number }> {
  const sql = postgres(databaseUrl, { max: 1 });
  const [row] = await sql<{ rows: string; bytes: string }[]>`
    select (select count(*) from events) as rows, pg_database_size(current_database()) as bytes`;
  await sql.end();
  return { rows: Number(row?.rows), bytes: Number(row?.bytes) };
}
