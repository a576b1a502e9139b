/**
 * Deletes what projects keep for less time than the instance. Partitions hold the rows of all projects, so rows go one
 * batch after the other, each a transaction of its own, with a pause between: nobody waits for them.
 */
import type postgres from "postgres";
import { DAY_MS, type Interval } from "../core/time.ts";
import { pause } from "../core/waiting.ts";
import type { Sql } from "./database.ts";
import type { ObjectStore } from "./objects/store.ts";
import { floorTo, periods } from "./query_limits.ts";
import { deleteExpiredIssues, oldestKept } from "./retention.ts";

interface AgingTable {
  readonly table: string;
  /** By which rows are old. */
  readonly time: string;
  /** What tells rows apart beside the project. */
  readonly key: readonly string[];
  /** Columns with keys of objects, which go first. */
  readonly blobs?: readonly string[];
}

/** By kind of data; sums over all users are no data of anybody, and stay. */
const TABLES: Readonly<Record<string, readonly AgingTable[]>> = {
  errors: [
    { table: "events", time: "timestamp", key: ["issue_id", "timestamp", "event_id"] },
    { table: "event_chunks", time: "timestamp", key: ["timestamp", "chunk_id"] },
    { table: "event_ids", time: "timestamp", key: ["event_id"] },
    { table: "feedback", time: "timestamp", key: ["feedback_id"] },
    { table: "issue_tags", time: "last_seen", key: ["key", "value", "issue_id"] },
    { table: "tag_sets", time: "last_seen", key: ["tags_id"] },
  ],
  transactions: [
    { table: "transaction_segments", time: "start", key: ["start"] },
    { table: "transaction_parts", time: "start", key: ["part", "start"] },
    { table: "transactions", time: "timestamp", key: ["timestamp", "event_id"] },
    { table: "span_batches", time: "timestamp", key: ["trace_id", "timestamp", "batch_id"] },
    { table: "span_chunks", time: "timestamp", key: ["timestamp", "chunk_id"] },
  ],
  profiles: [
    {
      table: "profiles",
      time: "timestamp",
      key: ["profile_id"],
      blobs: ["blob_key", "original_key"],
    },
    { table: "profile_traces", time: "timestamp", key: ["trace_id", "profile_id", "span_id"] },
  ],
  metrics: [
    {
      table: "metric_blocks",
      time: "slot",
      key: ["metric_id", "tier", "slot", "pack", "min_series"],
    },
    {
      table: "metric_exemplars",
      time: "minute",
      key: ["metric_id", "minute", "series_id", "place"],
    },
    {
      table: "metric_packs",
      time: "slot",
      key: ["metric_id", "tier", "slot", "pack", "min_series"],
    },
  ],
  // Segments have counted logs, and go first.
  logs: [
    { table: "log_segments", time: "start", key: ["start"] },
    { table: "log_parts", time: "start", key: ["part", "start"] },
    { table: "logs", time: "timestamp", key: ["timestamp", "log_id"] },
  ],
  sessions: [
    { table: "sessions", time: "started_at", key: ["session_id"] },
    { table: "session_users", time: "day", key: ["day", "release", "environment", "user_hash"] },
  ],
  attachments: [
    {
      table: "attachments",
      time: "timestamp",
      key: ["event_id", "attachment_id"],
      blobs: ["blob_key"],
    },
  ],
  checks: [
    { table: "check_ins", time: "started_at", key: ["check_in_id"] },
    { table: "uptime_checks", time: "due_at", key: ["monitor_id", "due_at"] },
    { table: "uptime_incidents", time: "last_seen", key: ["monitor_id", "incident_id"] },
  ],
};

/** What a project wants to keep for how many days, by kind. */
export interface ProjectRetention {
  readonly projectId: string;
  readonly days: Readonly<Record<string, number>>;
}

const ROWS_A_BATCH = 1_000;
const BREATH_MS = 20;
const PARALLEL = 8;

/**
 * Deletes what is older than a project wants to keep it.
 *
 * @param stopping ends the work between two batches
 * @returns how many rows went
 */
export async function deleteAged(
  { sql, objects }: { readonly sql: Sql; readonly objects: ObjectStore },
  { projectId, days }: ProjectRetention,
  stopping: AbortSignal,
  now: Date = new Date(),
): Promise<number> {
  // Files of an event go with it at the latest.
  const { errors, attachments } = days;
  const ofFiles = Math.min(errors ?? Infinity, attachments ?? Infinity);
  const all = { ...days, ...(ofFiles < Infinity ? { attachments: ofFiles } : {}) };
  let total = 0;
  for (const [kind, kept] of Object.entries(all)) {
    const before = oldestKept(kept, now);
    for (const table of TABLES[kind] ?? []) {
      for (const day of await daysOf(sql, table, projectId, before)) {
        let count = -1;
        while (count !== 0 && !stopping.aborted) {
          count = await deleteBatch({ sql, objects }, table, projectId, day);
          total += count;
          if (count > 0) await pause(BREATH_MS, stopping);
        }
      }
    }
    if (kind === "errors") total += await deleteIssues(sql, projectId, before, stopping);
  }
  return total;
}

/** Day by day: a batch then looks at one partition, however many rows a project has that are too old. */
async function daysOf(
  sql: Sql,
  { table, time }: AgingTable,
  projectId: string,
  before: Date,
): Promise<Interval[]> {
  const [row] = await sql<{ oldest: Date | null }[]>`
    select min(${sql(time)}) as oldest from ${sql(table)}
    where project_id = ${projectId} and ${sql(time)} < ${before}
  `;
  const oldest = row?.oldest ?? null;
  if (oldest === null) return [];
  return periods({ start: floorTo(DAY_MS, oldest), end: before }, DAY_MS)
    .map((start) => ({ start, end: new Date(start.getTime() + DAY_MS) }));
}

async function deleteBatch(
  { sql, objects }: { readonly sql: Sql; readonly objects: ObjectStore },
  { table, time, key, blobs = [] }: AgingTable,
  projectId: string,
  { start, end }: Interval,
): Promise<number> {
  // As text, which takes the type of the column: some are days.
  const ofDay = (name: postgres.Fragment) =>
    sql`${name}.project_id = ${projectId} and ${name}.${sql(time)} >= ${start.toISOString()}
      and ${name}.${sql(time)} < ${end.toISOString()}`;
  const old = sql`old`;
  const rows = await sql<Record<string, unknown>[]>`
    select ${sql([...key, ...blobs])} from ${sql(table)} as old
    where ${ofDay(old)} limit ${ROWS_A_BATCH}
  `;
  if (rows.length === 0) return 0;
  const names = rows.flatMap((row) => blobs.map((column) => String(row[column] ?? "")))
    .filter((name) => name !== "");
  for (let index = 0; index < names.length; index += PARALLEL) {
    await Promise.all(names.slice(index, index + PARALLEL).map((name) => objects.delete(name)));
  }
  const { count } = await sql`
    delete from ${sql(table)} as aged using (
      select ${sql([...key])} from ${sql(table)} as old where ${ofDay(old)} limit ${ROWS_A_BATCH}
    ) as batch
    where ${ofDay(sql`aged`)} and ${isSame(sql, key)}
  `;
  return count;
}

function isSame(sql: Sql, key: readonly string[]): postgres.Fragment {
  const [first, ...others] = key.map((column) => sql`aged.${sql(column)} = batch.${sql(column)}`);
  return others.reduce((all, each) => sql`${all} and ${each}`, first ?? sql`false`);
}

/** Issues whose events are all gone, as `retention.ts` deletes those of the instance. */
async function deleteIssues(
  sql: Sql,
  projectId: string,
  before: Date,
  stopping: AbortSignal,
): Promise<number> {
  let total = 0;
  while (!stopping.aborted) {
    const count = await deleteExpiredIssues(sql, before, projectId);
    if (count === 0) break;
    total += count;
  }
  return total;
}
