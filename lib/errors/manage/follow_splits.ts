/**
 * Lets events follow their groups out of an issue. A batch is one transaction that moves events together with all that
 * was counted of them, so that figures are right at any time, and what is cut short goes on where it was.
 */
import { groupEvent } from "../../formats/sentry/grouping.ts";
import type { Sql, Transaction } from "../../store/database.ts";
import {
  chunkColumns,
  payloadColumns,
  type PayloadPlace,
  payloadsOf,
} from "../../store/event_chunks/read.ts";
import { restoreTimes } from "../merged_rows.ts";
import { describeIssue, moveEvents, type MovingEvent, readEvent, type Way } from "./move_events.ts";

/** Events looked at in one transaction. */
const EVENTS_A_BATCH = 2_000;
/** A writer that looked the group up before the split may store its events for so long. */
const SETTLE_MS = 120_000;
/** Such events are new; so far back they are looked for. */
const LATE_MS = 3_600_000;
/** Tags that nothing has any more are taken off an issue of up to so many events; of others they end with the retention. */
const MAX_RECOUNTED = 50_000;

interface Split extends Way {
  readonly hashes: readonly string[];
  readonly frozen: readonly string[];
  readonly createdAt: Date;
  readonly settlesAt: Date | null;
  readonly cursorTime: string;
  readonly cursorId: string;
}

/**
 * Moves the events of split issues. Safe to run in several places at once; what one leaves, the next run finishes.
 *
 * @param projectId one project, or null for all
 * @param stopping ends the work between two batches
 * @returns how many events moved
 */
export async function finishSplits(
  sql: Sql,
  projectId: string | null,
  stopping: AbortSignal,
  now: Date = new Date(),
): Promise<number> {
  const splits = await sql<{ projectId: string; to: string }[]>`
    select project_id as "projectId", to_issue as "to" from issue_splits
    where (settles_at is null or settles_at <= ${now})
      ${projectId === null ? sql`` : sql`and project_id = ${projectId}`}
    order by project_id, to_issue
  `;
  let moved = 0;
  for (const split of splits) {
    let hasMore = true;
    while (hasMore && !stopping.aborted) {
      const batch = await sql.begin((tx) => moveSome(tx, split, now));
      moved += batch.moved;
      hasMore = batch.hasMore;
    }
  }
  return moved;
}

async function moveSome(
  tx: Transaction,
  { projectId, to }: Pick<Split, "projectId" | "to">,
  now: Date,
): Promise<{ moved: number; hasMore: boolean }> {
  const [split] = await tx<Split[]>`
    select project_id as "projectId", from_issue as "from", to_issue as "to",
      array(select replace(hash::text, '-', '') from unnest(hashes) as hash) as hashes,
      frozen, created_at as "createdAt", settles_at as "settlesAt",
      coalesce(cursor_time, '-infinity')::text as "cursorTime",
      coalesce(cursor_id, '00000000-0000-0000-0000-000000000000')::text as "cursorId"
    from issue_splits
    where project_id = ${projectId} and to_issue = ${to}
      and (settles_at is null or settles_at <= ${now})
    for update skip locked
  `;
  if (split === undefined) return { moved: 0, hasMore: false };
  const rows = await nextEvents(tx, split);
  const chosen = rows.filter((row) => split.hashes.includes(row.hash ?? hashOf(row, split)));
  if (chosen.length > 0) await moveEvents(tx, split, chosen);
  await clearMarks(tx, split, rows.filter((row) => !chosen.includes(row)));
  const last = rows.at(-1);
  if (last !== undefined) {
    await tx`
      update issue_splits set cursor_time = ${last.at}::text::timestamptz, cursor_id = ${last.eventId}::uuid
      where project_id = ${projectId} and to_issue = ${to}
    `;
  }
  const hasMore = rows.length === EVENTS_A_BATCH;
  if (!hasMore) await end(tx, split, now);
  return { moved: chosen.length, hasMore };
}

async function nextEvents(tx: Transaction, split: Split): Promise<MovingEvent[]> {
  const { projectId, from, cursorTime, cursorId } = split;
  const rows = await tx<(Omit<MovingEvent, "payload"> & PayloadPlace)[]>`
    select event_id as "eventId", "timestamp"::text as at,
      ("timestamp" at time zone 'UTC')::date::text as day,
      replace(group_hash::text, '-', '') as hash, merged_from as "mergedFrom",
      user_key as "userKey", case when group_hash is null then events.payload end as "ownPayload",
      ${chunkColumns(tx)}
    from events
    where project_id = ${projectId} and issue_id = ${from}
      and "timestamp" >= ${cursorTime}::text::timestamptz
      and ("timestamp", event_id) > (${cursorTime}::text::timestamptz, ${cursorId}::uuid)
    order by "timestamp", event_id
    limit ${EVENTS_A_BATCH}
    for update
  `;
  const unknown = rows.filter(({ hash }) => hash === null);
  const payloads = await payloadsOf(tx, projectId, unknown);
  const payloadOf = new Map(unknown.map((row, index) => [row, payloads[index] ?? null]));
  return rows.map((row) => ({ ...row, payload: payloadOf.get(row) ?? null }));
}

/** The group of an event from before groups were noted: worked out anew. */
function hashOf({ payload }: MovingEvent, { hashes }: Split): string {
  const event = payload === null ? null : readEvent(payload);
  const known = event === null ? [] : groupEvent(event).hashes;
  return known.find((hash) => hashes.includes(hash)) ?? "";
}

/** Events that stay belong to the issue for good, wherever they came from. */
async function clearMarks(
  tx: Transaction,
  { projectId, from, frozen }: Split,
  rows: readonly MovingEvent[],
): Promise<void> {
  const marked = rows.filter(({ mergedFrom }) =>
    mergedFrom !== null && frozen.includes(mergedFrom)
  );
  if (marked.length === 0) return;
  await tx`
    update events set merged_from = null
    from unnest(
      ${marked.map(({ eventId }) => eventId)}::uuid[],
      ${marked.map(({ at }) => at)}::text[]::timestamptz[]
    ) as batch (event_id, "timestamp")
    where events.project_id = ${projectId} and events.issue_id = ${from}
      and events."timestamp" = batch."timestamp" and events.event_id = batch.event_id
  `;
}

/** All have been looked at: the issue that stays loses what only the others had. */
async function end(tx: Transaction, split: Split, now: Date): Promise<void> {
  const { projectId, from, to, frozen, createdAt, settlesAt } = split;
  if (settlesAt !== null) {
    await tx`delete from issue_splits where project_id = ${projectId} and to_issue = ${to}`;
    return;
  }
  await tx`
    update issue_tags set merged_from = null
    where project_id = ${projectId} and issue_id = ${from} and merged_from = any (${[
    ...frozen,
  ]}::bigint[])
  `;
  await dropTags(tx, split);
  await dropUsers(tx, split);
  await restoreTimes({ tx, projectId, source: to, target: from });
  await nameAnew(tx, projectId, from);
  const late = new Date(createdAt.getTime() - LATE_MS);
  await tx`
    update issue_splits set settles_at = ${new Date(
    now.getTime() + SETTLE_MS,
  )}, cursor_time = ${late},
      cursor_id = null
    where project_id = ${projectId} and to_issue = ${to}
  `;
}

/** The issue that stays is called by the newest event that stays: its name may have been that of a group which went. */
async function nameAnew(tx: Transaction, projectId: string, issueId: string): Promise<void> {
  const [newest] = await tx<
    (PayloadPlace & { title: string; level: string; platform: string })[]
  >`
    select event_id as "eventId", title, level, platform, ${payloadColumns(tx)} from events
    where project_id = ${projectId} and issue_id = ${issueId}
    order by "timestamp" desc, event_id desc limit 1
  `;
  if (newest === undefined) return;
  const { title, level, platform, eventId } = newest;
  await tx`
    update issues set title = ${title}, level = ${level}, platform = ${platform},
      last_event_id = ${eventId}::uuid
    where project_id = ${projectId} and id = ${issueId}
  `;
  const [payload] = await payloadsOf(tx, projectId, [newest]);
  const event = readEvent(payload ?? "");
  if (event !== null) await describeIssue(tx, projectId, issueId, event);
}

async function dropTags(tx: Transaction, { projectId, from, to }: Split): Promise<void> {
  const [issue] = await tx<{ count: string }[]>`
    select times_seen as count from issues where project_id = ${projectId} and id = ${from}
  `;
  if (Number(issue?.count ?? 0) > MAX_RECOUNTED) return;
  await tx`
    with left_over as (
      select distinct tag.key, left(tag.value, 200) as value
      from events_with_tags as events,
        lateral (
          select key, value from jsonb_each_text(events.tags)
          union all select 'environment', events.environment
          union all select 'release', events.release
          union all select 'transaction', events.transaction
        ) as tag
      where project_id = ${projectId} and issue_id = ${from}
    ),
    known as (
      select distinct tag.key from events_with_tags as events,
        lateral (
          select jsonb_object_keys(events.tags) as key
          union all values ('environment'), ('release'), ('transaction')
        ) as tag
      where project_id = ${projectId} and issue_id = ${to}
    )
    delete from issue_tags
    where project_id = ${projectId} and issue_id = ${from}
      and key in (select key from known)
      and (key, value) in (
        select key, value from issue_tags where project_id = ${projectId} and issue_id = ${to}
      )
      and ((key, value) in (select key, value from left_over)) is not true
  `;
}

async function dropUsers(tx: Transaction, { projectId, from, to, frozen }: Split): Promise<void> {
  await tx`
    update issue_users set merged_from = null
    where project_id = ${projectId} and issue_id = ${from} and merged_from = any (${[
    ...frozen,
  ]}::bigint[])
  `;
  const { count } = await tx`
    delete from issue_users
    where project_id = ${projectId} and issue_id = ${from}
      and user_key in (
        select user_key from issue_users where project_id = ${projectId} and issue_id = ${to}
      )
      and (user_key in (
        select user_key from events
        where project_id = ${projectId} and issue_id = ${from} and user_key is not null
      )) is not true
  `;
  await tx`
    update issues set users_seen = greatest(users_seen - ${count}, 0)
    where project_id = ${projectId} and id = ${from}
  `;
}
