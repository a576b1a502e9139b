/**
 * What a sample takes at rest, before and after compaction: 5,000 series of counters, gauges and histograms for a day,
 * on the Postgres that `TEST_DATABASE_URL` names. Arguments: seconds between two points of a series (15), hours (24).
 */
import { migrate } from "@/lib/store/migrate.ts";
import { connectServer, type Sql } from "@/lib/store/database.ts";
import { dueDays, dueSlots } from "@/lib/metrics/compact/compact_project.ts";
import { packWaiting } from "@/lib/metrics/compact/pack_waiting.ts";
import { rollDay, settleSlot } from "@/lib/metrics/compact/settle.ts";
import { openWriter } from "@/lib/ingest/writer/writer.ts";
import { silentLogger } from "../../support/silent_logger.ts";
import { benchDatabase } from "../database.ts";
import { WorldOfSeries } from "./world.ts";

const SERIES = 5_000;
const PROJECT = "1";
const DAY_MS = 86_400_000;
const PACK_EVERY = 8;

const intervalMs = Number(Deno.args[0] ?? 15) * 1_000;
const hours = Number(Deno.args[1] ?? 24);

await using database = await benchDatabase();
const sql = connectServer(database.url);
await migrate(sql, silentLogger);
const writer = openWriter(sql, { log: silentLogger });
const services = { sql, log: silentLogger };

const start = Math.floor(Date.now() / DAY_MS) * DAY_MS - 2 * DAY_MS;
const scrapes = hours * 3_600_000 / intervalMs;
const world = new WorldOfSeries(SERIES, start);
let samples = 0;
let waitingBytes = 0;
let waitingSamples = 0;
const spent = { store: 0, pack: 0, settle: 0, roll: 0 };

for (let scrape = 0; scrape < scrapes; scrape++) {
  const batch = world.batchAt(start + (scrape + 1) * intervalMs, intervalMs);
  samples += batch.pointCount;
  await timed("store", () => writer.commit(PROJECT, { records: [batch], outcomes: [] }));
  if (scrape % PACK_EVERY !== PACK_EVERY - 1) continue;
  if (waitingBytes === 0) {
    waitingBytes = await bytesOf(sql, "metric_batches", "body");
    waitingSamples = samples;
  }
  await timed("pack", () => packWaiting(services, PROJECT));
  await settleUntil(start + scrape * intervalMs);
}
await timed("pack", () => packWaiting(services, PROJECT));
await settleUntil(start + 3 * DAY_MS);
await timed("roll", async () => {
  for (const day of await dueDays(sql, PROJECT, new Date(start + 3 * DAY_MS))) {
    await rollDay(services, day);
  }
});
await writer.close();

console.log(`${samples} samples, ${SERIES} series, every ${intervalMs / 1_000} s, ${hours} h`);
console.log(`waiting            ${(waitingBytes / waitingSamples).toFixed(2)} bytes a sample`);
for (const [tier, name] of ["points", "minutes", "hours"].entries()) {
  const [row] = await sql<{ bytes: number }[]>`
    select coalesce(sum(octet_length(body)), 0)::float8 as bytes from metric_blocks where tier = ${tier}
  `;
  console.log(`${name.padEnd(18)} ${((row?.bytes ?? 0) / samples).toFixed(2)} bytes a sample`);
}
const [disk] = await sql<{ blocks: number; packs: number }[]>`
  select sum(pg_total_relation_size(inhrelid))::float8 as blocks,
    pg_total_relation_size('metric_packs')::float8 as packs
  from pg_inherits where inhparent = 'metric_blocks'::regclass
`;
console.log(`on disk            ${((disk?.blocks ?? 0) / samples).toFixed(2)} bytes a sample`);
console.log(`on disk, passing   ${((disk?.packs ?? 0) / 1e6).toFixed(1)} MB`);
for (const [step, ms] of Object.entries(spent)) {
  const rate = Math.round(samples / ms * 1_000);
  console.log(`${step.padEnd(18)} ${(ms / 1_000).toFixed(1)} s, ${rate} samples/s`);
}
await sql.end();

async function settleUntil(time: number): Promise<void> {
  await timed("settle", async () => {
    for (;;) {
      const due = await dueSlots(sql, PROJECT, new Date(time));
      for (const slot of due) await settleSlot(services, slot);
      if (due.length === 0) return;
    }
  });
}

async function timed(step: keyof typeof spent, run: () => Promise<unknown>): Promise<void> {
  const began = performance.now();
  await run();
  spent[step] += performance.now() - began;
}

async function bytesOf(sql: Sql, table: string, column: string): Promise<number> {
  const [row] = await sql<{ bytes: number }[]>`
    select sum(octet_length(${sql(column)}))::float8 as bytes from ${sql(table)}
  `;
  return row?.bytes ?? 0;
}
