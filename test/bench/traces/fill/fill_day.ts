import { DAY_MS, HOUR_MS, MINUTE_MS } from "@/lib/core/time.ts";
import type { Sql } from "@/lib/store/database.ts";
import type { SpanBatch, Transaction } from "@/lib/records/mod.ts";
import { MINUTES_KEPT_DAYS } from "@/lib/store/stats/periods.ts";
import { type Series, SERIES_KINDS } from "@/lib/store/stats/series.ts";
import type { Table } from "@/lib/store/write_rows.ts";
import {
  KnownSenders,
  packedChunks,
  saveSenders,
  SPAN_BATCHES,
  SPAN_CHUNKS,
} from "@/lib/ingest/writer/save_spans.ts";
import { TRANSACTIONS } from "@/lib/ingest/writer/tables.ts";
import type { OtherRow } from "@/lib/ingest/writer/rows.ts";
import type { StatRow } from "@/lib/store/stats/save_stats.ts";
import { makeTrace, TRANSACTIONS_A_TRACE } from "../world/make_trace.ts";
import { Random } from "../world/random.ts";
import { copyRows } from "./copy.ts";
import { DayCounts } from "./day_counts.ts";

/** One day of telemetry. */
export interface DayOrder {
  readonly projectId: string;
  /** Days before today, 0 is today. */
  readonly ago: number;
  readonly days: number;
  readonly transactions: number;
  /** In milliseconds since 1970: nothing happens later. */
  readonly now: number;
}

/** Rows are written in so many pieces, which bounds what is held. */
const SLICES = 12;

/** Writes a day just as the writer would have, but at once. Partitions and {@linkcode SERIES_TABLE} are there. */
export async function fillDay(sql: Sql, order: DayOrder): Promise<void> {
  const counts = new DayCounts(order.projectId, order.ago < MINUTES_KEPT_DAYS);
  for (const starts of slicesOf(startsOf(order))) await fillSlice(sql, order, starts, counts);
  const { rows } = counts;
  await copyCounts(sql, "stat_minutes", rows.stat_minutes);
  await copyCounts(sql, "stat_hours", rows.stat_hours);
  await copyCounts(sql, "stat_days", rows.stat_days);
  await copySeries(sql, rows.stat_days);
}

/** When traces of the day begin, in order. */
function startsOf({ ago, transactions, now }: DayOrder): Float64Array {
  const random = new Random(1_000 + ago);
  const dayStart = Math.floor(now / DAY_MS) * DAY_MS - ago * DAY_MS;
  // A minute before midnight is left out: what begins in a day ends in it, and so days do not meet.
  const length = Math.max(0, Math.min(now, dayStart + DAY_MS) - MINUTE_MS - dayStart);
  const count = Math.round((transactions / TRANSACTIONS_A_TRACE) * (length / DAY_MS));
  return Float64Array.from({ length: count }, () => dayStart + busyTime(random) * length).sort();
}

function* slicesOf(starts: Float64Array): Generator<Float64Array> {
  const size = Math.ceil(starts.length / SLICES);
  for (let at = 0; at < starts.length; at += size) yield starts.subarray(at, at + size);
}

async function fillSlice(
  sql: Sql,
  { projectId, ago, days, now }: DayOrder,
  starts: Float64Array,
  counts: DayCounts,
): Promise<void> {
  const random = new Random(Math.floor((starts[0] ?? 0) / 1000) + ago);
  const transactions: OtherRow<Transaction>[] = [];
  const batches: OtherRow<SpanBatch>[] = [];
  for (const start of starts) {
    const age = 1 - (now - start) / (days * DAY_MS);
    const made = makeTrace(random, start, Math.max(0, age));
    for (const record of made.transactions) {
      counts.addTransaction(record);
      transactions.push({ projectId, record, bytes: 0 });
    }
    for (const record of made.batches) {
      counts.addSpans(record);
      batches.push({ projectId, record, bytes: 0 });
    }
  }
  await copyRecords(sql, TRANSACTIONS, transactions);
  const chunks = await packedChunks(batches);
  await copyRecords(sql, SPAN_BATCHES, chunks.flatMap(({ batches }) => batches));
  await copyRecords(sql, SPAN_CHUNKS, chunks.filter(({ chunkId }) => chunkId !== null));
  await sql.begin((tx) => saveSenders(tx, new KnownSenders().findNew(batches)));
}

/** A share of the day: in the afternoon three times as much happens as at night. */
function busyTime(random: Random): number {
  for (;;) {
    const share = random.share();
    if (random.share() < (2 + Math.sin((share * 24 - 9) * HOUR_MS / DAY_MS * 2 * Math.PI)) / 3) {
      return share;
    }
  }
}

async function copyRecords<R extends { readonly projectId: string }>(
  sql: Sql,
  { name, columns }: Pick<Table<R>, "name" | "columns">,
  rows: readonly R[],
): Promise<void> {
  await copyRows(sql, name, ["project_id", ...Object.keys(columns)], rows, (row) => [
    row.projectId,
    ...Object.values(columns).map(([type, value]) =>
      type === "hex" ? `\\x${value(row)}` : value(row)
    ),
  ]);
}

const COUNT_COLUMNS = [
  ...["project_id", "kind", "timestamp", "series_id", "count", "failures", "weight", "sum"],
  ...["status_2xx", "status_3xx", "status_4xx", "status_5xx", "sketch", "users", "trace_id"],
];

async function copyCounts(sql: Sql, table: string, rows: readonly StatRow[]): Promise<void> {
  await copyRows(sql, table, COUNT_COLUMNS, rows, (row) => [
    row.projectId,
    SERIES_KINDS[row.series.kind],
    new Date(row.time),
    row.seriesId,
    row.count,
    row.failures,
    row.weight,
    row.sum,
    ...row.statuses,
    row.sketch,
    row.users,
    row.traceId,
  ]);
}

/** Series of all days, some of them several times. */
export const SERIES_TABLE = "bench_series";
const SERIES_COLUMNS: readonly (readonly [column: string, field: keyof Series])[] = [
  ["environment", "environment"],
  ["release", "release"],
  ["service", "service"],
  ["name", "name"],
  ["op", "op"],
  ["category", "category"],
  ["parent", "parent"],
  ["http_method", "httpMethod"],
  ["route", "route"],
  ["protocol", "protocol"],
  ["browser", "browser"],
  ["device", "device"],
  ["country", "country"],
];

async function copySeries(sql: Sql, rows: readonly StatRow[]): Promise<void> {
  const columns = SERIES_COLUMNS.map(([column]) => column);
  const names = ["project_id", "series_id", "kind", "seen_on", ...columns];
  await copyRows(sql, SERIES_TABLE, names, rows, (row) => [
    row.projectId,
    row.seriesId,
    SERIES_KINDS[row.series.kind],
    new Date(row.time),
    ...SERIES_COLUMNS.map(([, field]) => row.series[field]),
  ]);
}
