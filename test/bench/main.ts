/**
 * Durable events a second: the service on Postgres, driven by wrk, rows counted afterwards. Prints figures
 * and the ratio to a bare batched insert on the same machine; judges nothing.
 */
import postgres from "postgres";
import { envelopeUrl } from "../support/envelopes.ts";
import { type Server, startServer } from "../support/server.ts";
import { bareInsertsPerSec } from "./baseline.ts";
import { benchDatabase } from "./database.ts";
import { cpuSeconds, peakRssMiB } from "./process_stats.ts";
import { runWrk } from "./wrk.ts";

const SECONDS = Number(Deno.args[0] ?? 15);
/** More than the default rate of 500/s each can be the limit for. */
const PROJECTS = 20;
const MAX_REQUESTS_PER_SEC = 10_000;

await using database = await benchDatabase();
const bare = await bareInsertsPerSec(database.url, 5);
console.log(`bare batched insert          ${rate(bare)} rows/s`);
for (const encoding of ["plain", "gzip"] as const) {
  await using server = await startServer({ DATABASE_URL: database.url, LOG_FORMAT: "json" });
  await measure(server, encoding);
}

async function measure(server: Server, encoding: "plain" | "gzip"): Promise<void> {
  const paths: string[] = [];
  for (let index = 0; index < PROJECTS; index++) {
    const { serverDsn } = await server.createProject(`Bench ${encoding} ${index}`);
    const { pathname, search } = new URL(envelopeUrl(serverDsn));
    paths.push(pathname + search);
  }
  await runWrk(server.url, paths, encoding, 3, 3 * MAX_REQUESTS_PER_SEC);
  const before = { ...await stored(), cpu: cpuSeconds(server.pid) };
  const load = await runWrk(server.url, paths, encoding, SECONDS, SECONDS * MAX_REQUESTS_PER_SEC);
  const after = { ...await stored(), cpu: cpuSeconds(server.pid) };
  const events = after.rows - before.rows;
  const perSec = events / SECONDS;
  console.log(`
${encoding} envelopes, 64 connections, ${SECONDS} s
  durable events               ${rate(perSec)} /s   (${
    (perSec / bare).toFixed(2)
  } of the bare insert)
  answered requests            ${rate(load.requestsPerSec)} /s, ${load.errors} not 200
  latency p50 / p99            ${load.p50Ms.toFixed(1)} / ${load.p99Ms.toFixed(1)} ms
  CPU of the service           ${
    ((after.cpu - before.cpu) / events * 10_000).toFixed(2)
  } s per 10,000 events
  peak memory of the service   ${peakRssMiB(server.pid).toFixed(0)} MiB
  stored                       ${
    Math.round((after.bytes - before.bytes) / events)
  } bytes per event`);
}

async function stored(): Promise<{ rows: number; bytes: number }> {
  const sql = postgres(database.url, { max: 1 });
  const [row] = await sql<{ rows: string; bytes: string }[]>`
    select (select count(*) from events) as rows, pg_database_size(current_database()) as bytes`;
  await sql.end();
  return { rows: Number(row?.rows), bytes: Number(row?.bytes) };
}

function rate(value: number): string {
  return Math.round(value).toLocaleString("en").padStart(7);
}
