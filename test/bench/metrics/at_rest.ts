/**
 * What a sample takes at rest, before and after compaction, of series of counters, gauges and histograms.
 *
 *   deno run -A test/bench/metrics/at_rest.ts [seconds between two points of a series, 15] [hours, 24] [series, 5000]
 *
 * on the Postgres that `TEST_DATABASE_URL` names. `deno task bench rest` has a line of it.
 */
import { migrate } from "@/lib/store/migrate.ts";
import { connectServer, type Sql } from "@/lib/store/database.ts";
import { dueDays, dueSlots } from "@/lib/metrics/compact/compact_project.ts";
import { packWaiting } from "@/lib/metrics/compact/pack_waiting.ts";
import { rollDay, settleSlot } from "@/lib/metrics/compact/settle.ts";
import { openWriter } from "@/lib/ingest/writer/writer.ts";
import { silentLogger } from "../../support/silent_logger.ts";
import { benchDatabase } from "../database.ts";
import type { Bench, Figure } from "../table.ts";
import { WorldOfSeries } from "./world.ts";

const PROJECT = "1";
const DAY_MS = 86_400_000;
const PACK_EVERY = 8;

interface Load {
  readonly intervalMs: number;
  readonly hours: number;
  readonly seriesCount: number;
}

/** Bytes a sample, of all that is kept and of each tier; steps in milliseconds. */
interface AtRest {
  readonly samples: number;
  readonly waiting: number;
  readonly tiers: Readonly<Record<"points" | "minutes" | "hours", number>>;
  readonly onDisk: number;
  readonly passing: number;
  readonly spent: Readonly<Record<string, number>>;
}

/** A line of the bench: 5,000 series of which each has a point a minute. */
export async function benchAtRest({ databaseUrl }: Bench): Promise<Figure[]> {
  const load = { intervalMs: 60_000, hours: 8, seriesCount: 5_000 };
  const { tiers, onDisk } = await storeAll(databaseUrl, load);
  const bytes = tiers.points + tiers.minutes + tiers.hours;
  const of = (figure: string, ours: number): Figure => ({
    part: "rest",
    figure,
    unit: "B",
    ours,
    limit: { name: "a double", value: 8 },
  });
  return [
    of("a sample with its rollups, series of 60 s", bytes),
    of("the same with Postgres' own", onDisk),
  ];
}

/** Stores points as intake does, and packs, settles and rolls them up as time would. */
async function storeAll(databaseUrl: string, load: Load): Promise<AtRest> {
  const { intervalMs, hours, seriesCount } = load;
  const sql = connectServer(databaseUrl);
  await migrate(sql, silentLogger);
  const writer = openWriter(sql, { log: silentLogger });
  const services = { sql, log: silentLogger };
  const start = Math.floor(Date.now() / DAY_MS) * DAY_MS - 2 * DAY_MS;
  const world = new WorldOfSeries(seriesCount, start);
  const spent = { store: 0, pack: 0, settle: 0, roll: 0 };
  const timed = async (step: keyof typeof spent, run: () => Promise<unknown>) => {
    const began = performance.now();
    await run();
    spent[step] += performance.now() - began;
  };
  const settleUntil = (time: number) =>
    timed("settle", async () => {
      for (;;) {
        const due = await dueSlots(sql, PROJECT, new Date(time));
        for (const slot of due) await settleSlot(services, slot);
        if (due.length === 0) return;
      }
    });
  let samples = 0;
  let waiting = 0;
  for (let scrape = 0; scrape < hours * 3_600_000 / intervalMs; scrape++) {
    const batch = world.batchAt(start + (scrape + 1) * intervalMs, intervalMs);
    samples += batch.pointCount;
    await timed("store", () => writer.commit(PROJECT, { records: [batch], outcomes: [] }));
    if (scrape % PACK_EVERY !== PACK_EVERY - 1) continue;
    waiting ||= await bytesOf(sql, "metric_batches") / samples;
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
  const found = { ...await sizes(sql, samples), samples, waiting, spent };
  await sql.end();
  return found;
}

async function sizes(sql: Sql, samples: number) {
  const tiers = { points: 0, minutes: 0, hours: 0 };
  for (const [tier, name] of (["points", "minutes", "hours"] as const).entries()) {
    tiers[name] = await bytesOf(sql, "metric_blocks", tier) / samples;
  }
  const [disk] = await sql<{ blocks: number; packs: number }[]>`
    select sum(pg_total_relation_size(inhrelid))::float8 as blocks,
      pg_total_relation_size('metric_packs')::float8 as packs
    from pg_inherits where inhparent = 'metric_blocks'::regclass
  `;
  return { tiers, onDisk: (disk?.blocks ?? 0) / samples, passing: disk?.packs ?? 0 };
}

async function bytesOf(sql: Sql, table: string, tier: number | null = null): Promise<number> {
  const [row] = await sql<{ bytes: number }[]>`
    select coalesce(sum(octet_length(body)), 0)::float8 as bytes from ${sql(table)}
    ${tier === null ? sql`` : sql`where tier = ${tier}`}
  `;
  return row?.bytes ?? 0;
}

async function printAll(): Promise<void> {
  const [seconds = 15, hours = 24, seriesCount = 5_000] = Deno.args.map(Number);
  await using database = await benchDatabase();
  const load = { intervalMs: seconds * 1_000, hours, seriesCount };
  const { samples, waiting, tiers, onDisk, passing, spent } = await storeAll(database.url, load);
  console.log(`${samples} samples, ${seriesCount} series, every ${seconds} s, ${hours} h`);
  for (const [name, bytes] of Object.entries({ waiting, ...tiers, "on disk": onDisk })) {
    console.log(`${name.padEnd(18)} ${bytes.toFixed(2)} bytes a sample`);
  }
  console.log(`on disk, passing   ${(passing / 1e6).toFixed(1)} MB`);
  for (const [step, ms] of Object.entries(spent)) {
    const rate = Math.round(samples / ms * 1_000);
    console.log(`${step.padEnd(18)} ${(ms / 1_000).toFixed(1)} s, ${rate} samples/s`);
  }
}

if (import.meta.main) await printAll();
