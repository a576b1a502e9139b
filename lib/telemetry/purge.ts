/** Removes the telemetry of projects that no longer exist. */
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
  "outcome_journal",
  "folded_names",
  "dashboards",
  "stat_days",
  "stat_series",
  "outcome_days",
  "outcome_hours",
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

/** A project that has anything has something in one of these. */
const FOUND_BY = [
  "issues",
  "outcome_hours",
  "attachments",
  "profiles",
  "dashboards",
  "metrics",
  "notification_channels",
  "alert_rules",
] as const;

/** The ids of all projects that something is stored of. */
export async function projectsWithTelemetry(sql: Sql): Promise<string[]> {
  const found = new Set<string>();
  for (const table of FOUND_BY) {
    // Hops from project to project in the primary key instead of reading every row.
    const rows = await sql<{ projectId: string }[]>`
      with recursive hops (project_id) as (
        (select project_id from ${sql(table)} order by project_id limit 1)
        union all
        select (
          select project_id from ${sql(table)}
          where project_id > hops.project_id order by project_id limit 1
        )
        from hops where hops.project_id is not null
      )
      select project_id as "projectId" from hops where project_id is not null
    `;
    for (const { projectId } of rows) found.add(projectId);
  }
  return [...found];
}

/**
 * Deletes everything that is stored of a project, in batches that are transactions of their own.
 *
 * @param stopping ends the work between two batches; a later call does the rest
 */
export async function purgeProject(
  sql: Sql,
  projectId: string,
  stopping: AbortSignal,
): Promise<void> {
  while (!stopping.aborted && await deleteEvents(sql, projectId) > 0);
  for (const { table, key } of PARTITIONED) {
    while (!stopping.aborted && await deleteByKey(sql, table, key, projectId) > 0);
  }
  for (const table of TABLES) {
    while (!stopping.aborted && await deleteRows(sql, table, projectId) > 0);
  }
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
