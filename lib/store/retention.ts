/**
 * Deletes expired rows of the tables that have no partitions to drop. In batches, each a transaction of its own, so
 * that writers never wait long.
 */
import type postgres from "postgres";
import { DAY_MS } from "../core/time.ts";
import { AUDIT_DAYS } from "./audit.ts";
import type { Sql } from "./database.ts";
import { floorTo } from "./query_limits.ts";
import { ofProject, projectsApart, projectsIn } from "./sharding.ts";

const ROWS_A_BATCH = 5_000;
/** An issue may bring along thousands of users and tags. */
const ISSUES_A_BATCH = 100;

const EXPIRING = [
  { table: "issue_hours", column: "hour" },
  { table: "issue_days", column: "day" },
  { table: "project_hours", column: "hour" },
  { table: "issue_tags", column: "last_seen" },
  { table: "tag_sets", column: "last_seen" },
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
  { table: "uptime_incidents", column: "last_seen" },
  { table: "uptime_hours", column: "start" },
  // Asked of no more: no monitor is left that has it.
  { table: "uptime_domains", column: "due_at" },
  // Those that are open have no end yet, and stay.
  { table: "monitor_incidents", column: "resolved_at" },
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
  { table: "monitor_notes", column: "noted_at", days: 7 },
  { table: "monitor_errors", column: "noted_at", days: 7 },
  { table: "ready_bundles", column: "noted_at", days: 7 },
  { table: "missing_maps", column: "last_seen", days: 7 },
  { table: "unmapped_events", column: "noted_at", days: 1 },
  { table: "alert_history", column: "at", days: 90 },
  { table: "issue_shares", column: "expires_at", days: 7 },
  { table: "tracker_deliveries", column: "received_at", days: 30 },
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
  const ids = await deleteEventIds(sql, oldest, stopping);
  if (ids > 0) deleted["event_ids"] = ids;
  for (const { table, column } of EXPIRING) {
    const count = await deleteAll(sql, table, column, oldest, stopping);
    if (count > 0) deleted[table] = count;
  }
  for (const { table, column, days } of SHORT_LIVED) {
    const before = oldestKept(Math.min(days, retentionDays), now);
    const count = await deleteAll(sql, table, column, before, stopping);
    if (count > 0) deleted[table] = count;
  }
  const entries = await inBatches(
    stopping,
    () => deleteRows(sql, "audit_entries", olderThan(sql, "at", oldestKept(AUDIT_DAYS, now)), null),
  );
  if (entries > 0) deleted["audit_entries"] = entries;
  let issues = 0;
  const isQuiet = olderThan(sql, "last_seen_on", oldest);
  for (const projectId of await projectsApart(sql, "issues", isQuiet)) {
    issues += await inBatches(stopping, () => deleteExpiredIssues(sql, oldest, projectId));
  }
  let releases = 0;
  const isOld = olderThan(sql, "created_at", oldest);
  for (const projectId of await projectsApart(sql, "releases", isOld)) {
    releases += await inBatches(stopping, () => deleteReleases(sql, oldest, projectId));
  }
  if (releases > 0) deleted["releases"] = releases;
  if (issues > 0) deleted["issues"] = issues;
  const texts = await inBatches(stopping, () => deleteTexts(sql, oldest));
  if (texts > 0) deleted["search_texts"] = texts;
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

async function deleteAll(
  sql: Sql,
  table: string,
  column: string,
  before: Date,
  stopping: AbortSignal,
): Promise<number> {
  const isOld = olderThan(sql, column, before);
  let total = 0;
  for (const projectId of await projectsApart(sql, table, isOld)) {
    total += await inBatches(stopping, () => deleteRows(sql, table, isOld, projectId));
  }
  return total;
}

/** The time as text, which takes the type of the column: some are days. */
function olderThan(sql: Sql, column: string, before: Date): postgres.Fragment {
  return sql`${sql(column)} < ${before.toISOString()}`;
}

async function deleteRows(
  sql: Sql,
  table: string,
  condition: postgres.Fragment,
  projectId: string | null,
): Promise<number> {
  const of = ofProject(sql, projectId);
  const { count } = await sql`
    delete from ${sql(table)} where ctid = any (array(
      select ctid from ${sql(table)} where ${condition} ${of} limit ${ROWS_A_BATCH}
    )) ${of}
  `;
  return count;
}

const EVENT_IDS_INDEX = "event_ids_by_time";

/**
 * Makes the index by which old event ids are found, unless it is there. Beside the table's writers, which an index of a
 * migration would hold up for as long as a large table takes; not inside a transaction.
 */
export async function indexEventIds(sql: Sql): Promise<void> {
  const [known] = await sql<{ isWhole: boolean }[]>`
    select indisvalid as "isWhole" from pg_index where indexrelid = to_regclass(${EVENT_IDS_INDEX})
  `;
  if (known?.isWhole) return;
  // Left by a process that ended while it made it.
  if (known !== undefined) await sql`drop index concurrently if exists ${sql(EVENT_IDS_INDEX)}`;
  await sql`
    create index concurrently if not exists ${sql(EVENT_IDS_INDEX)}
      on event_ids (project_id, "timestamp")
  `;
}

/**
 * Project by project, from the oldest on: as many ids as events have ever come within the retention, of which a day's
 * are to go, must not be read for that.
 */
async function deleteEventIds(sql: Sql, before: Date, stopping: AbortSignal): Promise<number> {
  let total = 0;
  for (const projectId of await projectsIn(sql, "event_ids")) {
    // Entries of the index that are gone already are not passed by again.
    let from = "-infinity";
    while (!stopping.aborted) {
      const old = sql`
        project_id = ${projectId} and "timestamp" < ${before} and "timestamp" > ${from}::text::timestamptz
      `;
      const [last] = await sql<{ time: string }[]>`
        select "timestamp"::text as time from event_ids where ${old}
        order by "timestamp" offset ${ROWS_A_BATCH - 1} limit 1
      `;
      const { count } = await sql`
        delete from event_ids where ${old}
          ${last === undefined ? sql`` : sql`and "timestamp" <= ${last.time}::text::timestamptz`}
      `;
      total += count;
      if (last === undefined) break;
      from = last.time;
    }
  }
  return total;
}

/**
 * Tables with the rows of an issue (`issue_id`) that go with it, those aside that go with its events, in the order in
 * which writers lock them.
 */
export const OF_ISSUES = [
  "issue_hashes",
  "issue_tags",
  "issue_texts",
  "issue_users",
  "issue_links",
  "issue_activity",
  "issue_people",
  "issue_owners",
  "issue_owner_checks",
  "issue_shares",
] as const;

function deleteOfExpired(sql: Sql, table: string) {
  return sql`
    ${sql(`gone_${table}`)} as (
      delete from ${sql(table)} using expired
      where ${sql(table)}.project_id = expired.project_id and issue_id = expired.id
    ),
  `;
}

/**
 * An issue that happens again at this very moment is skipped while its row is locked, and otherwise comes back as a new
 * one: its events are stored either way.
 */
export async function deleteExpiredIssues(
  sql: Sql,
  before: Date,
  projectId: string | null,
): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    with expired as (
      select project_id, id from issues
      where last_seen_on < ${before} ${ofProject(sql, projectId)}
      limit ${ISSUES_A_BATCH}
      for update skip locked
    ),
    ${OF_ISSUES.map((table) => deleteOfExpired(sql, table))}
    deleted as (
      delete from issues using expired
      where issues.project_id = expired.project_id and issues.id = expired.id
      returning 1
    )
    select count(*)::int as count from deleted
  `;
  return row?.count ?? 0;
}

const RELEASES_A_BATCH = 200;

/**
 * Releases that nothing of this age is from and nothing refers to: no issue that they were the first to have, no file,
 * no deploy. The newest of a project stays, since tools go on from its commits.
 */
async function deleteReleases(
  sql: Sql,
  before: Date,
  projectId: string | null,
): Promise<number> {
  const ofGone = ofProject(sql, projectId, "gone");
  const [row] = await sql<{ count: number }[]>`
    with expired as (
      select project_id, version from releases as old
      where created_at < ${before} and coalesce(last_event, created_at) < ${before}
        and coalesce(released_at, created_at) < ${before} ${ofProject(sql, projectId, "old")}
        and exists (
          select from releases
          where releases.project_id = old.project_id and releases.created_at > old.created_at
            and (old.commit_count = 0 or releases.commit_count > 0)
        )
        and not exists (
          select from issues where issues.project_id = old.project_id and first_release = old.version
            and first_release <> ''
        )
        and not exists (
          select from deploys where deploys.project_id = old.project_id and deploys.version = old.version
            and finished_at >= ${before}
        )
        and not exists (
          select from artifact_bundles as files
          where files.project_id = old.project_id and files.release = old.version
        )
      limit ${RELEASES_A_BATCH}
      for update skip locked
    ),
    links as (
      delete from release_commits as gone using expired
      where gone.project_id = expired.project_id and gone.version = expired.version ${ofGone}
      returning gone.project_id, gone.repository_id, gone.commit_id, gone.version
    ),
    -- A commit of another release stays.
    orphans as (
      select distinct project_id, repository_id, commit_id from links
      where not exists (
        select from release_commits as other
        where other.project_id = links.project_id and other.repository_id = links.repository_id
          and other.commit_id = links.commit_id ${ofProject(sql, projectId, "other")}
          and (other.project_id, other.version) not in (select project_id, version from expired)
      )
    ),
    files as (
      delete from commit_files as gone using orphans
      where gone.project_id = orphans.project_id and gone.repository_id = orphans.repository_id
        and gone.commit_id = orphans.commit_id ${ofGone}
    ),
    deleted_commits as (
      delete from commits as gone using orphans
      where gone.project_id = orphans.project_id and gone.repository_id = orphans.repository_id
        and gone.commit_id = orphans.commit_id ${ofGone}
    ),
    fixes as (
      delete from release_fixes as gone using expired
      where gone.project_id = expired.project_id and gone.version = expired.version ${ofGone}
    ),
    gone_deploys as (
      delete from deploys as gone using expired
      where gone.project_id = expired.project_id and gone.version = expired.version ${ofGone}
    ),
    deleted as (
      delete from releases as gone using expired
      where gone.project_id = expired.project_id and gone.version = expired.version ${ofGone}
      returning 1
    )
    select count(*)::int as count from deleted
  `;
  return row?.count ?? 0;
}

/** Texts that no issue has any more. One that is found again at this very moment is of a newer day, and stays. */
async function deleteTexts(sql: Sql, before: Date): Promise<number> {
  const isOld = olderThan(sql, "seen_on", before);
  const { count } = await sql`
    delete from search_texts as old where ${isOld} and (project_id, id) in (
      select project_id, id from search_texts as unused
      where ${isOld} and not exists (
        select 1 from issue_texts
        where issue_texts.project_id = unused.project_id and text_id = unused.id
      )
      limit ${ROWS_A_BATCH}
    )
  `;
  return count;
}

/** Events are clamped to the retention when they arrive; a day later none of them can still be on its way. */
const GRACE_DAYS = 1;

/** The start of the oldest UTC day that is kept. What lies before may be removed. */
export function oldestKept(retentionDays: number, now: Date): Date {
  return new Date(floorTo(DAY_MS, now).getTime() - (retentionDays + GRACE_DAYS) * DAY_MS);
}
