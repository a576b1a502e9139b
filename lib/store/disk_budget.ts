/**
 * Makes room where telemetry may take so much and no more: the oldest UTC days go first, and of a day everything else
 * before its errors. Days are emptied rather than dropped: a writer that has seen one a moment ago may still write to it.
 */
import { DAY_MS } from "../core/time.ts";
import type { Sql } from "./database.ts";
import type { PartitionedTable } from "./partitions.ts";
import { floorTo } from "./query_limits.ts";
import { isSharded } from "./sharding.ts";

/** What goes together. */
export type DiskClass = "others" | "errors";

/** Of every table that has days. Null: counts over time, receipts and checks of monitors take little, and stay as long as the retention says. */
const CLASS_OF: Readonly<Record<PartitionedTable, DiskClass | null>> = {
  events: "errors",
  event_chunks: "errors",
  transactions: "others",
  span_sources: "others",
  span_batches: "others",
  span_chunks: "others",
  span_facts: "others",
  logs: "others",
  metric_blocks: "others",
  metric_exemplars: "others",
  receipts: null,
  uptime_checks: null,
  stat_minutes: null,
  stat_hours: null,
};

/** Today and the two days before stay whatever comes: what else would anybody look at? */
export const FEWEST_DAYS = 2;
/** Emptying waits this long for running queries, and everybody behind it waits too. */
const LOCK_TIMEOUT = "2s";

/** A day of which one class can go. */
export interface OldestDay {
  readonly day: Date;
  readonly class: DiskClass;
  readonly partitions: readonly string[];
}

/**
 * What is to go next.
 *
 * @returns null when only days are left that stay
 */
export async function oldestOnDisk(sql: Sql, now: Date = new Date()): Promise<OldestDay | null> {
  const emptied = Object.entries(CLASS_OF).flatMap(([table, kind]) => kind === null ? [] : table);
  const before = new Date(floorTo(DAY_MS, now).getTime() - FEWEST_DAYS * DAY_MS);
  const size = await isSharded(sql) ? sql`citus_relation_size(oid)` : sql`pg_relation_size(oid)`;
  // Citus refuses to measure what it has not distributed: nothing else may be asked for.
  const found = await sql<{ table: PartitionedTable; name: string; day: Date }[]>`
    with days as materialized (
      select parent.relname as "table", child.relname as name, child.oid,
        to_date(right(child.relname, 8), 'YYYYMMDD')::timestamp at time zone 'UTC' as day
      from pg_inherits
      join pg_class child on child.oid = inhrelid
      join pg_class parent on parent.oid = inhparent
      where inhparent = any (${emptied}::text[]::regclass[])
    )
    select "table", name, day from days where day < ${before} and ${size} > 0 order by day
  `;
  const oldestOf = (kind: DiskClass): OldestDay | null => {
    const own = found.filter(({ table }) => CLASS_OF[table] === kind);
    const day = own[0]?.day;
    if (day === undefined) return null;
    const partitions = own.filter((each) => each.day.getTime() === day.getTime());
    return { day, class: kind, partitions: partitions.map(({ name }) => name) };
  };
  const [others, errors] = [oldestOf("others"), oldestOf("errors")];
  if (others === null || errors === null) return others ?? errors;
  return others.day <= errors.day ? others : errors;
}

/** Empties a day's tables; their room is free at once. @throws what `postgres` throws when a query holds one for long */
export async function emptyDay(sql: Sql, { partitions }: OldestDay): Promise<void> {
  for (const name of partitions) {
    await sql.begin(async (tx) => {
      await tx`select set_config('lock_timeout', ${LOCK_TIMEOUT}, true)`;
      await tx`truncate table ${tx(name)}`;
    });
  }
}
