/**
 * Removes what was stored of deleted issues, in batches that are transactions of their own. Whatever is interrupted is
 * found again: a row goes after the bytes it names, and the note that an issue is deleted goes last.
 */
import { HOUR_MS } from "../../core/time.ts";
import { withTimeLimit } from "../../core/waiting.ts";
import type { Sql, Transaction } from "../../store/database.ts";
import { chunkColumns } from "../../store/event_chunks/read.ts";
import { deletePayloads, type PackedEvent } from "../../store/event_chunks/rewrite.ts";
import { OF_ISSUES } from "../../store/retention.ts";
import type { ObjectStore } from "../../store/objects/store.ts";
import type { Backend } from "../../store/stores.ts";
import { NOWHERE } from "../issue_merge.ts";
import { finishMoves } from "../issue_moves.ts";
import { finishSplits } from "./follow_splits.ts";

const EVENTS_A_BATCH = 500;
const PARALLEL = 8;
/** How long a person waits for the data to go. */
const WAIT_MS = 2_000;
/** No writer is under way for so long: what still names the issue after that has been swept. */
export const LINGER_MS = HOUR_MS;

interface PurgeStores {
  readonly sql: Sql;
  readonly objects: ObjectStore;
}

interface DeletedIssue {
  readonly projectId: string;
  readonly issueId: string;
  readonly isOver: boolean;
}

/**
 * Removes the data of deleted issues. Safe to run in several places at once; what one leaves, the next run finishes.
 *
 * @param projectId one project, or null for all
 * @param stopping ends the work between two batches
 * @returns how many events went
 */
export async function purgeDeletedIssues(
  { sql, objects }: PurgeStores,
  projectId: string | null,
  stopping: AbortSignal,
  now: Date = new Date(),
): Promise<number> {
  const old = new Date(now.getTime() - LINGER_MS);
  const deleted = await sql<DeletedIssue[]>`
    select project_id as "projectId", issue_id as "issueId", deleted_at < ${old} as "isOver"
    from deleted_issues
    where (purged_at is null or deleted_at < ${old})
      ${projectId === null ? sql`` : sql`and project_id = ${projectId}`}
    order by project_id, deleted_at, issue_id
  `;
  let events = 0;
  for (const issue of deleted) {
    if (await isOnItsWay(sql, issue)) continue;
    let count = -1;
    while (!stopping.aborted && count !== 0) {
      count = await purgeSomeEvents({ sql, objects }, issue);
      events += count;
    }
    if (stopping.aborted) return events;
    await purgeFigures(sql, issue);
    if (issue.isOver) await forget(sql, issue);
    else await notePurged(sql, issue, now);
  }
  return events;
}

/** Events that go to or come from another issue must arrive first: they may not be meant. */
async function isOnItsWay(sql: Sql, { projectId, issueId }: DeletedIssue): Promise<boolean> {
  const moves = await sql`
    select from issue_moves
    where project_id = ${projectId} and (from_issue = ${issueId} or to_issue = ${issueId})
    union all
    select from issue_splits
    where project_id = ${projectId} and (from_issue = ${issueId} or to_issue = ${issueId})
      and settles_at is null
    limit 1
  `;
  return moves.length > 0;
}

interface Batch {
  readonly ids: readonly string[];
  readonly times: readonly string[];
}

async function purgeSomeEvents(
  { sql, objects }: PurgeStores,
  issue: DeletedIssue,
): Promise<number> {
  const { projectId, issueId } = issue;
  const rows = await sql<{ id: string; at: string }[]>`
    select event_id as id, "timestamp"::text as at from events
    where project_id = ${projectId} and issue_id = ${issueId}
    limit ${EVENTS_A_BATCH}
  `;
  if (rows.length === 0) return 0;
  const batch = { ids: rows.map(({ id }) => id), times: rows.map(({ at }) => at) };
  await deleteFiles({ sql, objects }, projectId, batch);
  return await deleteEvents(sql, issue, batch);
}

/** The bytes first and the rows after them. */
async function deleteFiles(
  { sql, objects }: PurgeStores,
  projectId: string,
  { ids }: Batch,
): Promise<void> {
  const files = await sql<{ key: string }[]>`
    select blob_key as key from attachments
    where project_id = ${projectId} and event_id = any (${[...ids]}::uuid[])
  `;
  for (let index = 0; index < files.length; index += PARALLEL) {
    await Promise.all(files.slice(index, index + PARALLEL).map(({ key }) => objects.delete(key)));
  }
}

/** By key, because `ctid` means nothing across partitions. What people wrote about an event stays, without it. */
async function deleteEvents(
  sql: Sql,
  { projectId, issueId }: DeletedIssue,
  { ids, times }: Batch,
): Promise<number> {
  const deleteAll = (tx: Transaction) =>
    tx<PackedEvent[]>`
    with gone as materialized (
      select event_id, "timestamp"
      from unnest(${[...ids]}::uuid[], ${[
      ...times,
    ]}::text[]::timestamptz[]) as gone (event_id, "timestamp")
    ),
    files as (
      delete from attachments using gone
      where attachments.project_id = ${projectId} and attachments.event_id = gone.event_id
    ),
    words as (
      update feedback set event_id = null from gone
      where feedback.project_id = ${projectId} and feedback.event_id = gone.event_id
    ),
    ids as (
      delete from event_ids using gone
      where event_ids.project_id = ${projectId} and event_ids.event_id = gone.event_id
        and event_ids.issue_id = ${issueId}
    ),
    deleted as (
      delete from events using gone
      where events.project_id = ${projectId} and events.issue_id = ${issueId}
        and events."timestamp" = gone."timestamp" and events.event_id = gone.event_id
      returning events.event_id as "eventId", ${chunkColumns(tx)}
    )
    select * from deleted
  `;
  return await sql.begin(async (tx) => {
    const deleted = await deleteAll(tx);
    await deletePayloads(tx, projectId, deleted);
    return deleted.length;
  });
}

/** Each day and hour is looked up by itself: the indexes lead with time, and a range would read the rows of all issues. */
async function purgeFigures(sql: Sql, { projectId, issueId }: DeletedIssue): Promise<void> {
  await sql`
    delete from issue_hours
    where project_id = ${projectId} and issue_id = ${issueId} and hour = any (array(
      select generate_series(date_trunc('hour', first_seen), last_seen, interval '1 hour')
      from issues where project_id = ${projectId} and id = ${issueId}
    ))
  `;
  await sql`
    delete from issue_days
    where project_id = ${projectId} and issue_id = ${issueId} and day = any (array(
      select generate_series(
        date_trunc('day', first_seen at time zone 'UTC'), last_seen at time zone 'UTC', interval '1 day'
      )::date
      from issues where project_id = ${projectId} and id = ${issueId}
    ))
  `;
  await sql`
    update monitor_incidents set issue_id = null
    where project_id = ${projectId} and issue_id = ${issueId}
  `;
  for (const table of OF_ISSUES) {
    await sql`
      delete from ${sql(table)} where project_id = ${projectId} and issue_id = ${issueId}
    `;
  }
}

async function notePurged(
  sql: Sql,
  { projectId, issueId }: DeletedIssue,
  now: Date,
): Promise<void> {
  await sql`
    update deleted_issues set purged_at = ${now}
    where project_id = ${projectId} and issue_id = ${issueId}
  `;
}

async function forget(sql: Sql, { projectId, issueId }: DeletedIssue): Promise<void> {
  await sql.begin(async (tx) => {
    await tx`
      delete from issues
      where project_id = ${projectId} and id = ${issueId} and merged_into = ${NOWHERE}
    `;
    await tx`
      delete from deleted_issues where project_id = ${projectId} and issue_id = ${issueId}
    `;
  });
}

/** What a deletion needs of the process. */
export type PurgeBackend = Pick<Backend, "sql" | "objects" | "log" | "stopping">;

/**
 * Lets the data of deleted issues of one project go. Usually done at once; what takes longer goes on by itself, and
 * maintenance finishes what a stop cut short. Never throws.
 */
export async function letDataGo(backend: PurgeBackend, projectId: string): Promise<void> {
  const { sql, log, stopping } = backend;
  const going = (async () => {
    await finishMoves(sql, projectId, stopping);
    await finishSplits(sql, projectId, stopping);
    await purgeDeletedIssues(backend, projectId, stopping);
  })().catch((error: unknown) =>
    log.warn("cannot remove the data of deleted issues yet", { project: projectId, error })
  );
  await withTimeLimit(going, WAIT_MS).catch(() => {});
}
