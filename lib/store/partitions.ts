/**
 * Tables of telemetry are split by UTC day: retention then drops whole days instead of deleting rows.
 * A day's partition is called after its table: `events_20261120`.
 */
import { DAY_MS } from "../core/time.ts";
import type { Queryable, Sql } from "./database.ts";
import { onBreak } from "./lasting_pool.ts";
import { oldestKept } from "./retention.ts";
import { isMovingShards } from "./sharding.ts";
import { MINUTES_KEPT_DAYS } from "./stats/periods.ts";

const PARTITIONED_TABLES = [
  "events",
  "event_chunks",
  "transactions",
  "span_sources",
  "span_batches",
  "span_chunks",
  "span_facts",
  "logs",
  "metric_blocks",
  "metric_exemplars",
  "receipts",
  "uptime_checks",
  "stat_minutes",
  "stat_hours",
] as const;
export type PartitionedTable = typeof PARTITIONED_TABLES[number];
/** Kept for days only, at most as long as everything else. */
const SHORT_LIVED: readonly (readonly [table: string, days: number])[] = [
  // A replay looks for the receipt of a request that came at most so many days ago.
  ["receipts", 7],
  ["stat_minutes", MINUTES_KEPT_DAYS],
  ["uptime_checks", 30],
];
/** Days made before they begin, so that midnight needs no writer to stop for it. */
const DAYS_AHEAD = 7;
/** How long a partition seen once is taken to exist; far less than a day of grace, so none vanishes under a writer. */
const REMEMBER_MS = 60 * 60_000;
/** A drop waits this long for running queries, and everybody behind it waits too. */
const DROP_LOCK_TIMEOUT = "2s";
/** Advisory lock of this database under which partitions are made. */
const PARTITION_LOCK = 7_310_577_002;

/** Days, as milliseconds since 1970, with the time they were last seen to have partitions. */
const seenDays = new WeakMap<Sql, Map<number, number>>();

/**
 * Makes the partitions that rows of these days need. Costs nothing for days seen in the last hour.
 * Any number of isolates may do this at once; readers and writers of other days are not held up.
 * Not inside a transaction: the partition must be there for everybody when this resolves.
 */
export async function ensurePartitions(sql: Sql, days: readonly Date[]): Promise<void> {
  const seen = seenDays.get(sql) ?? new Map<number, number>();
  if (!seenDays.has(sql)) onBreak(sql, () => seen.clear());
  seenDays.set(sql, seen);
  const now = Date.now();
  const needed = [...new Set(days.map((day) => startOfDay(day)))]
    .filter((day) => now - (seen.get(day) ?? 0) > REMEMBER_MS);
  if (needed.length === 0) return;
  const partitions = needed.flatMap(partitionsOf);
  const missing = await missingOf(sql, partitions);
  if (missing.length > 0) await sql.begin((tx) => makePartitions(tx, missing));
  for (const day of needed) seen.set(day, now);
}

/** Makes today's and the coming week's partitions; the latter later on, while Citus moves shards. */
export async function createAhead(sql: Sql, now: Date = new Date()): Promise<void> {
  const today = startOfDay(now);
  const ahead = Array.from({ length: DAYS_AHEAD }, (_, i) => new Date(today + (i + 1) * DAY_MS));
  await ensurePartitions(sql, [now]);
  try {
    await ensurePartitions(sql, ahead);
  } catch (error) {
    // Whoever starts or tidies up meanwhile does not stop for what is needed in days.
    if (!isMovingShards(error)) throw error;
  }
}

/**
 * Drops the partitions of days before `oldestKept()`.
 *
 * @returns their names, oldest first
 * @throws {postgres.PostgresError} when a running query holds one for long; the next run drops it
 */
export async function dropExpired(
  sql: Sql,
  retentionDays: number,
  now: Date = new Date(),
): Promise<string[]> {
  const oldest = oldestKept(retentionDays, now).getTime();
  const isExpired = (name: string) => {
    const [, days] = SHORT_LIVED.find(([table]) => name.startsWith(`${table}_2`)) ?? [];
    const before = days === undefined
      ? oldest
      : oldestKept(Math.min(days, retentionDays), now).getTime();
    return dayOfPartition(name) < before;
  };
  const expired = (await partitionNames(sql))
    .filter(isExpired)
    .sort((one, other) => dayOfPartition(one) - dayOfPartition(other));
  for (const name of expired) {
    await sql.begin(async (tx) => {
      await tx`select set_config('lock_timeout', ${DROP_LOCK_TIMEOUT}, true)`;
      await tx`drop table if exists ${tx(name)}`;
    });
    seenDays.get(sql)?.delete(dayOfPartition(name));
  }
  return expired;
}

/** Makes the partition of a name such as `events_20261120` where it is missing, for rows that had one of that name. */
export async function makeNamedPartition(sql: Sql, name: string, table: string): Promise<void> {
  await sql.begin(async (tx) => {
    await tx`select pg_advisory_xact_lock(${PARTITION_LOCK})`;
    const [found] = await tx`select from pg_inherits where inhrelid = to_regclass(${name})`;
    if (found === undefined) await makePartition(tx, { name, table, day: dayOfPartition(name) });
  });
}

interface Partition {
  readonly name: string;
  readonly table: string;
  /** Start of its day, in milliseconds since 1970. */
  readonly day: number;
}

function partitionsOf(day: number): Partition[] {
  const suffix = new Date(day).toISOString().slice(0, 10).replaceAll("-", "");
  return PARTITIONED_TABLES.map((table) => ({ name: `${table}_${suffix}`, table, day }));
}

async function missingOf(sql: Queryable, wanted: readonly Partition[]): Promise<Partition[]> {
  const existing = new Set(await partitionNames(sql));
  return wanted.filter(({ name }) => !existing.has(name));
}

/** From the catalog's tables, not `to_regclass()`: under a lock that one may still tell of the time before it. */
async function partitionNames(sql: Queryable): Promise<string[]> {
  const partitions = await sql<{ name: string }[]>`
    select child.relname as name
    from pg_inherits
    join pg_class child on child.oid = inhrelid
    where inhparent = any (${[...PARTITIONED_TABLES]}::text[]::regclass[])
  `;
  return partitions.map(({ name }) => name);
}

async function makePartitions(tx: Queryable, wanted: readonly Partition[]): Promise<void> {
  await tx`select pg_advisory_xact_lock(${PARTITION_LOCK})`;
  // Looked up again under the lock: another isolate may have made them meanwhile.
  for (const partition of await missingOf(tx, wanted)) await makePartition(tx, partition);
}

/** Made beside the table and attached: unlike `create … partition of`, that lets reads and writes go on. */
async function makePartition(tx: Queryable, { name, table, day }: Partition): Promise<void> {
  const from = new Date(day).toISOString();
  const to = new Date(day + DAY_MS).toISOString();
  await tx`create table if not exists ${tx(name)} (like ${tx(table)} including all)`;
  await tx.unsafe(
    `alter table ${table} attach partition ${name} for values from ('${from}') to ('${to}')`,
  );
}

/** Start of the day that a partition holds, in milliseconds since 1970. */
function dayOfPartition(name: string): number {
  const [year, month, day] = [name.slice(-8, -4), name.slice(-4, -2), name.slice(-2)].map(Number);
  return Date.UTC(year ?? NaN, (month ?? NaN) - 1, day);
}

function startOfDay(time: Date): number {
  return Math.floor(time.getTime() / DAY_MS) * DAY_MS;
}
