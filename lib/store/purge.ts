/** Removes the telemetry of a project. */
import type { Sql } from "./database.ts";

const ROWS_A_BATCH = 5_000;

/** Tables with rows of a project, events aside; issues go last, so that an interrupted purge finds the rest again. */
const TABLES = [
  "event_ids",
  "issue_hours",
  "issue_days",
  "project_hours",
  "issue_users",
  "issue_tags",
  "issue_hashes",
  "issue_moves",
  "key_hours",
  "refused_requests",
  "alert_rules",
  "alert_states",
  "alert_history",
  "deliveries",
  "notification_channels",
  "feedback",
  "sessions",
  "session_hours",
  "session_users",
  "check_ins",
  "monitors",
  "profile_traces",
  "stat_journal",
  "metric_batches",
  "metric_packs",
  "metric_slots",
  "metric_series",
  "metrics",
  "metric_families",
  "outcome_journal",
  "folded_names",
  "dashboards",
  "stat_days",
  "stat_series",
  "outcome_days",
  "outcome_hours",
  "control_keys",
  "control_projects",
  "issues",
] as const;

/** Partitioned tables beside events, with what tells their rows apart. */
const PARTITIONED = [
  { table: "transactions", key: ["timestamp", "event_id"] },
  { table: "span_batches", key: ["trace_id", "timestamp", "batch_id"] },
  { table: "span_sources", key: ["timestamp", "source_id"] },
  { table: "stat_minutes", key: ["kind", "timestamp", "series_id"] },
  { table: "stat_hours", key: ["kind", "timestamp", "series_id"] },
  { table: "logs", key: ["timestamp", "log_id"] },
  { table: "metric_blocks", key: ["metric_id", "tier", "slot", "pack", "min_series"] },
  { table: "metric_exemplars", key: ["metric_id", "minute", "series_id", "place"] },
  { table: "receipts", key: ["received_at", "request_id"] },
] as const;

/**
 * Deletes everything that is stored of a project, in batches that are transactions of their own.
 *
 * @param stopping ends the work between two batches; a later call does the rest
 * @param onDeleted is told after each batch how many rows went
 */
export async function purgeProject(
  sql: Sql,
  projectId: string,
  stopping: AbortSignal,
  onDeleted: (rows: number) => Promise<void> = async () => {},
): Promise<void> {
  async function deleteAll(deleteBatch: () => Promise<number>): Promise<void> {
    while (!stopping.aborted) {
      const count = await deleteBatch();
      if (count === 0) return;
      await onDeleted(count);
    }
  }
  await deleteAll(() => deleteEvents(sql, projectId));
  for (const { table, key } of PARTITIONED) {
    await deleteAll(() => deleteByKey(sql, table, key, projectId));
  }
  for (const table of TABLES) await deleteAll(() => deleteRows(sql, table, projectId));
}

/** By key, because `ctid` means nothing across partitions. */
async function deleteEvents(sql: Sql, projectId: string): Promise<number> {
  const { count } = await sql`
    delete from events using (
      select issue_id, "timestamp", event_id from events
      where project_id = ${projectId} limit ${ROWS_A_BATCH}
    ) as batch
    where events.project_id = ${projectId} and events.issue_id = batch.issue_id
      and events."timestamp" = batch."timestamp" and events.event_id = batch.event_id
  `;
  return count;
}

async function deleteByKey(
  sql: Sql,
  table: string,
  key: readonly string[],
  projectId: string,
): Promise<number> {
  const columns = sql(key.map(String));
  const { count } = await sql`
    delete from ${sql(table)} where project_id = ${projectId} and (${columns}) in (
      select ${columns} from ${sql(table)} where project_id = ${projectId} limit ${ROWS_A_BATCH}
    )
  `;
  return count;
}

async function deleteRows(sql: Sql, table: string, projectId: string): Promise<number> {
  const { count } = await sql`
    delete from ${sql(table)} where ctid = any (array(
      select ctid from ${sql(table)} where project_id = ${projectId} limit ${ROWS_A_BATCH}
    ))
  `;
  return count;
}
