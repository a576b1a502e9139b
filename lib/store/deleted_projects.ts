/** Deleted projects: the tombstones that say so, kept where their telemetry is, and the removal of that telemetry. */
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
  "tag_sets",
  "issue_texts",
  "search_texts",
  "issue_hashes",
  "issue_moves",
  "issue_activity",
  "issue_people",
  "issue_owners",
  "issue_owner_checks",
  "ownership_rules",
  "codeowners",
  "issue_numbers",
  "issue_splits",
  "issue_shares",
  "pinned_searches",
  "deleted_issues",
  "discards",
  "key_hours",
  "refused_requests",
  "alert_rules",
  "alert_states",
  "alert_history",
  "deliveries",
  "notification_channels",
  "tracker_deliveries",
  "tracker_connections",
  "issue_links",
  "code_mappings",
  "feedback",
  "sessions",
  "session_hours",
  "session_users",
  "check_ins",
  "monitor_notes",
  "monitor_errors",
  "monitor_incidents",
  "monitor_environments",
  "monitors",
  "uptime_incidents",
  "uptime_hours",
  "uptime_days",
  "uptime_cut_offs",
  "uptime_domains",
  "uptime_monitors",
  "profile_traces",
  "log_segments",
  "log_parts",
  "transaction_segments",
  "transaction_parts",
  "late_rows",
  "profile_hours",
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
  // Contents of their files are swept when no bundle of the organization has them.
  "artifact_assemblies",
  "ready_bundles",
  "missing_maps",
  "unmapped_events",
  "artifacts",
  "artifact_bundles",
  "release_commits",
  "release_fixes",
  "commit_files",
  "commits",
  "deploys",
  "releases",
  "stat_days",
  "stat_series",
  "outcome_days",
  "outcome_hours",
  "control_keys",
  "control_projects",
  "transfer_issues",
  "transfer_parts",
  "transfers",
  "issues",
] as const;

/** Partitioned tables beside events, with what tells their rows apart. */
const PARTITIONED = [
  { table: "event_chunks", key: ["timestamp", "chunk_id"] },
  { table: "transactions", key: ["timestamp", "event_id"] },
  { table: "span_batches", key: ["trace_id", "timestamp", "batch_id"] },
  { table: "span_chunks", key: ["timestamp", "chunk_id"] },
  { table: "span_sources", key: ["timestamp", "source_id"] },
  { table: "span_facts", key: ["timestamp", "facts_id"] },
  { table: "stat_minutes", key: ["kind", "timestamp", "series_id"] },
  { table: "stat_hours", key: ["kind", "timestamp", "series_id"] },
  { table: "logs", key: ["timestamp", "log_id"] },
  { table: "metric_blocks", key: ["metric_id", "tier", "slot", "pack", "min_series"] },
  { table: "metric_exemplars", key: ["metric_id", "minute", "series_id", "place"] },
  { table: "uptime_checks", key: ["monitor_id", "due_at"] },
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
    delete from ${sql(table)} where project_id = ${projectId} and ctid = any (array(
      select ctid from ${sql(table)} where project_id = ${projectId} limit ${ROWS_A_BATCH}
    ))
  `;
  return count;
}

/** So long a deleted project can be restored, with everything that was stored of it. */
export const GRACE_DAYS = 7;

interface Tombstone {
  readonly id: string;
  readonly organizationId: string;
  readonly slug: string;
  readonly name: string;
  readonly deletedBy: string;
}

/** How far the purge of a deleted project is. */
interface PurgeProgress {
  readonly id: string;
  readonly purgeAt: Date;
  readonly startedAt: Date | null;
  /** Rows and objects that are gone. */
  readonly rows: number;
}

/** Notes that a project is deleted now. Deleting it once more, after it was restored, begins a new grace. */
export async function writeTombstone(
  sql: Sql,
  { id, organizationId, slug, name, deletedBy }: Tombstone,
): Promise<void> {
  await sql`
    insert into deleted_projects (id, organization_id, slug, name, deleted_by)
    values (${id}, ${organizationId}, ${slug}, ${name}, ${deletedBy})
    on conflict (id) do update set
      slug = excluded.slug, name = excluded.name, deleted_by = excluded.deleted_by,
      deleted_at = excluded.deleted_at,
      purge_started_at = null, purged_rows = 0, purged_at = null
  `;
}

/** Takes the tombstone of a project that lives. */
export async function removeTombstone(sql: Sql, id: string): Promise<void> {
  await sql`delete from deleted_projects where id = ${id} and purged_at is null`;
}

/** All deletions ever, those included whose purge is over. */
export async function listTombstones(sql: Sql) {
  return await sql<
    {
      readonly id: string;
      readonly deletedAt: Date;
      readonly deletedBy: string;
      readonly isPurging: boolean;
      readonly purgedAt: Date | null;
    }[]
  >`
    select id, deleted_at as "deletedAt", deleted_by as "deletedBy",
      purge_started_at is not null as "isPurging", purged_at as "purgedAt"
    from deleted_projects order by id
  `;
}

/** The ids of projects whose grace is over, the oldest deletion first. */
export async function dueTombstones(sql: Sql): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    select id from deleted_projects where ${isOver(sql)} order by deleted_at
  `;
  return rows.map(({ id }) => id);
}

/** Whether the grace of a project is over by now. */
export async function isDue(sql: Sql, id: string): Promise<boolean> {
  const rows = await sql`select 1 from deleted_projects where id = ${id} and ${isOver(sql)}`;
  return rows.length > 0;
}

/** Takes the old tombstone of a project that lives; one of a deletion at this moment stays. */
export async function removeDueTombstone(sql: Sql, id: string): Promise<void> {
  await sql`delete from deleted_projects where id = ${id} and ${isOver(sql)}`;
}

function isOver(sql: Sql) {
  return sql`
    purged_at is null and deleted_at <= now() - make_interval(days => ${GRACE_DAYS})
  `;
}

/** Milliseconds until the next grace is over, 0 when one is; null when nothing is deleted. */
export async function nextPurgeInMs(sql: Sql): Promise<number | null> {
  const [row] = await sql<{ ms: number | null }[]>`
    select extract(epoch from min(deleted_at) + make_interval(days => ${GRACE_DAYS}) - now())::float8
      * 1000 as ms
    from deleted_projects where purged_at is null
  `;
  const ms = row?.ms ?? null;
  return ms === null ? null : Math.max(0, ms);
}

/** Notes how much of a project is gone; the first call begins the purge. */
export async function notePurge(sql: Sql, id: string, rows: number): Promise<void> {
  await sql`
    update deleted_projects
    set purge_started_at = least(purge_started_at, now()), purged_rows = purged_rows + ${rows}
    where id = ${id}
  `;
}

/** Notes that nothing is left of a project. @returns how much it was */
export async function endPurge(sql: Sql, id: string): Promise<number> {
  const [row] = await sql<{ rows: number }[]>`
    update deleted_projects set purged_at = now() where id = ${id}
    returning purged_rows::float8 as rows
  `;
  return row?.rows ?? 0;
}

/** How far deleted projects of an organization are from being gone. */
export async function purgesOf(sql: Sql, organizationId: string): Promise<PurgeProgress[]> {
  return await sql<PurgeProgress[]>`
    select
      id, deleted_at + make_interval(days => ${GRACE_DAYS}) as "purgeAt",
      purge_started_at as "startedAt", purged_rows::float8 as rows
    from deleted_projects where organization_id = ${organizationId} and purged_at is null
  `;
}
