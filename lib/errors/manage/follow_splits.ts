/**
 * Lets events follow their groups out of an issue. A batch is one transaction that moves events together with all that
 * was counted of them, so that figures are right at any time, and what is cut short goes on where it was.
 */
import { culpritOf, metadataOf, titleOf } from "../../formats/sentry/title.ts";
import { groupEvent } from "../../formats/sentry/grouping.ts";
import { searchFacts } from "../../formats/sentry/error_event.ts";
import { searchTexts } from "../../formats/sentry/search_texts.ts";
import type { NormalizedEvent } from "../../formats/sentry/normalized_event.ts";
import type postgres from "postgres";
import type { Sql, Transaction } from "../../store/database.ts";
import { unpackText } from "../../store/values.ts";
import { saveTexts, textsOf } from "../issue_texts.ts";
import { restoreTimes } from "../merged_rows.ts";

/** Events looked at in one transaction. */
const EVENTS_A_BATCH = 2_000;
/** Facts are in the payload alone, which takes a millisecond to read: those of so many events of a batch are kept. */
const READ_A_BATCH = 50;
/** A writer that looked the group up before the split may store its events for so long. */
const SETTLE_MS = 120_000;
/** Such events are new; so far back they are looked for. */
const LATE_MS = 3_600_000;
/** Tags that nothing has any more are taken off an issue of up to so many events; of others they end with the retention. */
const MAX_RECOUNTED = 50_000;

interface Split {
  readonly projectId: string;
  readonly from: string;
  readonly to: string;
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
  if (chosen.length > 0) await move(tx, split, chosen);
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

interface MovingEvent {
  readonly eventId: string;
  /** As Postgres writes it. */
  readonly at: string;
  readonly day: string;
  readonly hash: string | null;
  readonly mergedFrom: string | null;
  readonly userKey: string | null;
  /** Of events that do not know their group. */
  readonly payload: Uint8Array | null;
}

async function nextEvents(tx: Transaction, split: Split): Promise<MovingEvent[]> {
  const { projectId, from, cursorTime, cursorId } = split;
  return await tx<MovingEvent[]>`
    select event_id as "eventId", "timestamp"::text as at,
      ("timestamp" at time zone 'UTC')::date::text as day,
      replace(group_hash::text, '-', '') as hash, merged_from as "mergedFrom",
      user_key as "userKey", case when group_hash is null then payload end as payload
    from events
    where project_id = ${projectId} and issue_id = ${from}
      and "timestamp" >= ${cursorTime}::text::timestamptz
      and ("timestamp", event_id) > (${cursorTime}::text::timestamptz, ${cursorId}::uuid)
    order by "timestamp", event_id
    limit ${EVENTS_A_BATCH}
    for update
  `;
}

/** The group of an event from before groups were noted: worked out anew. */
function hashOf({ payload }: MovingEvent, { hashes }: Split): string {
  const event = payload === null ? null : read(payload);
  const known = event === null ? [] : groupEvent(event).hashes;
  return known.find((hash) => hashes.includes(hash)) ?? "";
}

function read(payload: Uint8Array): NormalizedEvent | null {
  try {
    const event: unknown = JSON.parse(unpackText(payload));
    return isNormalized(event) ? event : null;
  } catch {
    return null;
  }
}

/** Payloads are stored in one shape only; what else is there says nothing. */
function isNormalized(event: unknown): event is NormalizedEvent {
  return typeof event === "object" && event !== null && "type" in event && "platform" in event;
}

/** In the writer's order: events and their ids, tags, users, issues, days, hours, texts. */
async function move(tx: Transaction, split: Split, rows: readonly MovingEvent[]): Promise<void> {
  const { projectId, from, to } = split;
  const ids = rows.map(({ eventId }) => eventId);
  const times = rows.map(({ at }) => at);
  await tx`
    update event_ids set issue_id = ${to}
    where project_id = ${projectId} and event_id = any (${ids}::uuid[]) and issue_id = ${from}
  `;
  await tx`
    update events set issue_id = ${to}, merged_from = null
    from unnest(${ids}::uuid[], ${times}::text[]::timestamptz[]) as batch (event_id, "timestamp")
    where events.project_id = ${projectId} and events.issue_id = ${from}
      and events."timestamp" = batch."timestamp" and events.event_id = batch.event_id
  `;
  const batch = tx`(
    select events.* from unnest(${ids}::uuid[], ${times}::text[]::timestamptz[]) as batch (event_id, "timestamp")
    join events on events.project_id = ${projectId} and events.issue_id = ${to}
      and events."timestamp" = batch."timestamp" and events.event_id = batch.event_id
  )`;
  const whole = await wholeEvents(tx, split, rows);
  await copyTags(tx, split, batch, whole);
  const { count: users } = await tx`
    insert into issue_users (project_id, issue_id, user_key)
    select distinct on (user_key collate "C") ${projectId}::bigint, ${to}::bigint, user_key
    from ${batch} as moved where user_key is not null
    order by user_key collate "C"
    on conflict do nothing
  `;
  await countIssues(tx, split, batch, users);
  const newest = whole.at(-1);
  if (newest !== undefined) await describe(tx, projectId, to, newest.event);
  await moveTallies(tx, split, batch);
  const texts = whole.flatMap(({ day, event }) =>
    textsOf({ projectId, issueId: to, day }, searchTexts(event))
  );
  // Of those that are the same the last has the newest day.
  await saveTexts(tx, [...new Map(texts.map((text) => [text.textId, text])).values()]);
}

interface WholeEvent {
  readonly day: string;
  readonly event: NormalizedEvent;
}

/** Some of the events, the newest among them. */
async function wholeEvents(
  tx: Transaction,
  { projectId, to }: Split,
  rows: readonly MovingEvent[],
): Promise<WholeEvent[]> {
  const some = rows.slice(-READ_A_BATCH);
  const packed = await tx<{ day: string; payload: Uint8Array }[]>`
    select ("timestamp" at time zone 'UTC')::date::text as day, payload
    from events
    where project_id = ${projectId} and issue_id = ${to}
      and "timestamp" >= ${some[0]?.at ?? ""}::text::timestamptz
      and "timestamp" <= ${some.at(-1)?.at ?? ""}::text::timestamptz
      and event_id = any (${some.map(({ eventId }) => eventId)}::uuid[])
    order by "timestamp", event_id
  `;
  return packed.flatMap(({ day, payload }) => {
    const event = read(payload);
    return event === null ? [] : [{ day, event }];
  });
}

async function copyTags(
  tx: Transaction,
  { projectId, to }: Split,
  batch: postgres.Fragment,
  whole: readonly WholeEvent[],
): Promise<void> {
  const facts = whole.flatMap(({ day, event }) =>
    searchFacts(event, []).map(([key, value]) => ({ key, value, day }))
  );
  await tx`
    insert into issue_tags as known (project_id, key, value, issue_id, last_seen)
    select ${projectId}::bigint, key, value, ${to}::bigint, max(day)
    from (
      select tag.key, left(tag.value, 200) as value, (moved."timestamp" at time zone 'UTC')::date as day
      from ${batch} as moved,
        lateral (
          select key, value from jsonb_each_text(moved.tags)
          union all select 'environment', moved.environment
          union all select 'release', moved.release
          union all select 'transaction', moved.transaction
        ) as tag
      union all
      select * from unnest(
        ${facts.map(({ key }) => key)}::text[], ${facts.map(({ value }) => value)}::text[],
        ${facts.map(({ day }) => day)}::text[]::date[]
      )
    ) as seen (key, value, day)
    where value <> ''
    group by key, value
    order by key collate "C", value collate "C"
    on conflict (project_id, key, value, issue_id)
      do update set last_seen = greatest(known.last_seen, excluded.last_seen)
  `;
}

/** The smaller id first, as writers lock them: an issue is older than what is split off. */
async function countIssues(
  tx: Transaction,
  { projectId, from, to }: Split,
  batch: postgres.Fragment,
  users: number,
): Promise<void> {
  await tx`
    update issues set times_seen = greatest(times_seen - (select count(*) from ${batch} as moved), 0)
    where project_id = ${projectId} and id = ${from}
  `;
  const newest = (what: postgres.Fragment) =>
    tx`(array_agg(${what} order by "timestamp" desc, event_id desc))[1]`;
  const isNewest = tx`(known.times_seen = 0 or moved.last >= known.last_seen)`;
  await tx`
    with moved as (
      select count(*) as count, min("timestamp") as first, max("timestamp") as last,
        (array_agg(release order by "timestamp", event_id) filter (where release <> ''))[1] as old_release,
        (array_agg(release order by "timestamp" desc, event_id desc) filter (where release <> ''))[1]
          as new_release,
        ${newest(tx`event_id`)} as newest_id, ${newest(tx`title`)} as newest_title,
        ${newest(tx`level`)} as newest_level, ${newest(tx`platform`)} as newest_platform
      from ${batch} as batch
    )
    update issues as known set
      times_seen = known.times_seen + moved.count,
      users_seen = known.users_seen + ${users},
      first_seen = case when known.times_seen = 0 then moved.first
        else least(known.first_seen, moved.first) end,
      last_seen = case when ${isNewest} then moved.last else known.last_seen end,
      last_seen_on = case when ${isNewest} then (moved.last at time zone 'UTC')::date
        else known.last_seen_on end,
      first_release = case when known.first_release = '' then coalesce(moved.old_release, '')
        else known.first_release end,
      last_release = case when ${isNewest} then coalesce(moved.new_release, known.last_release)
        else known.last_release end,
      last_event_id = case when ${isNewest} then moved.newest_id else known.last_event_id end,
      title = case when ${isNewest} then moved.newest_title else known.title end,
      level = case when ${isNewest} then moved.newest_level else known.level end,
      platform = case when ${isNewest} then moved.newest_platform else known.platform end
    from moved
    where known.project_id = ${projectId} and known.id = ${to}
  `;
}

/** What only the payload says of an issue. */
async function describe(
  tx: Transaction,
  projectId: string,
  issueId: string,
  event: NormalizedEvent,
): Promise<void> {
  await tx`
    update issues set type = ${event.type}, title = ${titleOf(event)}, culprit = ${
    culpritOf(event)
  },
      metadata = ${JSON.stringify(metadataOf(event))}::text::jsonb
    where project_id = ${projectId} and id = ${issueId}
  `;
}

const TALLIES = [
  ["issue_days", "day", `("timestamp" at time zone 'UTC')::date`],
  ["issue_hours", "hour", `date_trunc('hour', "timestamp", 'UTC')`],
] as const;

async function moveTallies(
  tx: Transaction,
  { projectId, from, to }: Split,
  batch: postgres.Fragment,
): Promise<void> {
  for (const [table, time, of] of TALLIES) {
    const counted = tx`(
      select ${tx.unsafe(of)} as at, environment, release, count(*)::int as count
      from ${batch} as moved group by 1, 2, 3
    )`;
    await tx`
      update ${tx(table)} as known set times_seen = known.times_seen - counted.count
      from ${counted} as counted
      where known.project_id = ${projectId} and known.issue_id = ${from}
        and known.${tx(time)} = counted.at and known.environment = counted.environment
        and known.release = counted.release
    `;
    await tx`
      delete from ${tx(table)} as known using ${counted} as counted
      where known.project_id = ${projectId} and known.issue_id = ${from} and known.times_seen <= 0
        and known.${tx(time)} = counted.at
    `;
    await tx`
      insert into ${tx(table)} as known
        (project_id, ${tx(time)}, issue_id, environment, release, times_seen)
      select ${projectId}::bigint, at, ${to}::bigint, environment, release, count from ${counted} as counted
      order by at, environment collate "C", release collate "C"
      on conflict (project_id, ${tx(time)}, issue_id, environment, release)
        do update set times_seen = known.times_seen + excluded.times_seen
    `;
  }
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
    { title: string; level: string; platform: string; payload: Uint8Array; eventId: string }[]
  >`
    select event_id as "eventId", title, level, platform, payload from events
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
  const event = read(newest.payload);
  if (event !== null) await describe(tx, projectId, issueId, event);
}

async function dropTags(tx: Transaction, { projectId, from, to }: Split): Promise<void> {
  const [issue] = await tx<{ count: string }[]>`
    select times_seen as count from issues where project_id = ${projectId} and id = ${from}
  `;
  if (Number(issue?.count ?? 0) > MAX_RECOUNTED) return;
  await tx`
    with left_over as (
      select distinct tag.key, left(tag.value, 200) as value
      from events,
        lateral (
          select key, value from jsonb_each_text(events.tags)
          union all select 'environment', events.environment
          union all select 'release', events.release
          union all select 'transaction', events.transaction
        ) as tag
      where project_id = ${projectId} and issue_id = ${from}
    ),
    known as (
      select distinct tag.key from events,
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
