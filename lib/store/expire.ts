/**
 * Deletes expired rows of the tables that have no partitions to drop. In batches, each a transaction of its own, so
 * that writers never wait long.
 */
import type { Sql } from "./database.ts";
import { oldestKept } from "./retention.ts";

const ROWS_A_BATCH = 5_000;
/** An issue may bring along thousands of users and tags. */
const ISSUES_A_BATCH = 100;

const EXPIRING = [
  { table: "event_ids", column: "timestamp" },
  { table: "issue_hours", column: "hour" },
  { table: "issue_days", column: "day" },
  { table: "project_hours", column: "hour" },
  { table: "issue_tags", column: "last_seen" },
  { table: "outcome_hours", column: "hour" },
  { table: "outcome_days", column: "day" },
  { table: "folded_names", column: "hour" },
  { table: "stat_days", column: "timestamp" },
  { table: "stat_series", column: "seen_on" },
  { table: "key_hours", column: "hour" },
  { table: "feedback", column: "timestamp" },
  { table: "session_hours", column: "hour" },
  { table: "session_users", column: "day" },
  { table: "check_ins", column: "started_at" },
  { table: "monitors", column: "last_seen" },
  { table: "profile_traces", column: "timestamp" },
  { table: "metric_batches", column: "received_at" },
  { table: "metric_packs", column: "slot" },
  { table: "metric_slots", column: "slot" },
  { table: "metric_series", column: "seen_on" },
  { table: "metrics", column: "seen_on" },
] as const;

/** Kept for days only, at most as long as everything else. */
const SHORT_LIVED = [
  { table: "sessions", column: "started_at", days: 7 },
  { table: "refused_requests", column: "time", days: 30 },
  { table: "deliveries", column: "created_at", days: 30 },
  { table: "alert_history", column: "at", days: 90 },
] as const;

/**
 * Deletes what lies before `oldestKept()`, and the issues whose events are all gone.
 *
 * @param stopping ends the work between two batches
 * @returns how many rows went, by table; tables without any are absent
 */
export async function deleteExpired(
  sql: Sql,
  retentionDays: number,
  stopping: AbortSignal,
  now: Date = new Date(),
): Promise<Record<string, number>> {
  const oldest = oldestKept(retentionDays, now);
  const deleted: Record<string, number> = {};
  for (const { table, column } of EXPIRING) {
    const count = await inBatches(stopping, () => deleteRows(sql, table, column, oldest));
    if (count > 0) deleted[table] = count;
  }
  for (const { table, column, days } of SHORT_LIVED) {
    const before = oldestKept(Math.min(days, retentionDays), now);
    const count = await inBatches(stopping, () => deleteRows(sql, table, column, before));
    if (count > 0) deleted[table] = count;
  }
  const issues = await inBatches(stopping, () => deleteIssues(sql, oldest));
  if (issues > 0) deleted["issues"] = issues;
  return deleted;
}

async function inBatches(stopping: AbortSignal, step: () => Promise<number>): Promise<number> {
  let total = 0;
  while (!stopping.aborted) {
    const count = await step();
    if (count === 0) break;
    total += count;
  }
  return total;
}

async function deleteRows(sql: Sql, table: string, column: string, before: Date): Promise<number> {
  const { count } = await sql`
    delete from ${sql(table)} where ctid = any (array(
      select ctid from ${sql(table)} where ${sql(column)} < ${before} limit ${ROWS_A_BATCH}
    ))
  `;
  return count;
}

/**
 * An issue that happens again at this very moment is skipped while its row is locked, and otherwise comes back as a new
 * one: its events are stored either way.
 */
async function deleteIssues(sql: Sql, before: Date): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    with expired as (
      select project_id, id from issues
      where last_seen_on < ${before}
      limit ${ISSUES_A_BATCH}
      for update skip locked
    ),
    hashes as (
      delete from issue_hashes using expired
      where issue_hashes.project_id = expired.project_id and issue_id = expired.id
    ),
    users as (
      delete from issue_users using expired
      where issue_users.project_id = expired.project_id and issue_id = expired.id
    ),
    tags as (
      delete from issue_tags using expired
      where issue_tags.project_id = expired.project_id and issue_id = expired.id
    ),
    deleted as (
      delete from issues using expired
      where issues.project_id = expired.project_id and issues.id = expired.id
      returning 1
    )
    select count(*)::int as count from deleted
  `;
  return row?.count ?? 0;
}
