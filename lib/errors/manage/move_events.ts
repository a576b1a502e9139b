/** What moves with events from one issue to another: all that was counted of them, and what they are found by. */
import type postgres from "postgres";
import { searchFacts } from "../../formats/sentry/error_event.ts";
import type { NormalizedEvent } from "../../formats/sentry/normalized_event.ts";
import { searchTexts } from "../../formats/sentry/search_texts.ts";
import { culpritOf, metadataOf, titleOf } from "../../formats/sentry/title.ts";
import type { Transaction } from "../../store/database.ts";
import { payloadColumns, type PayloadPlace, withPayloads } from "../../store/event_chunks/read.ts";
import { saveTexts, textsOf } from "../issue_texts.ts";

/** Facts are in the payload alone, which takes a millisecond to read: those of so many events of a batch are kept. */
const READ_A_BATCH = 50;

/** From which issue of a project events go to which. */
export interface Way {
  readonly projectId: string;
  readonly from: string;
  readonly to: string;
}

export interface MovingEvent {
  readonly eventId: string;
  /** As Postgres writes it. */
  readonly at: string;
  readonly day: string;
  readonly hash: string | null;
  readonly mergedFrom: string | null;
  readonly userKey: string | null;
  /** Of events that do not know their group. */
  readonly payload: string | null;
}

/** In the writer's order: events and their ids, tags, users, issues, days, hours, texts. */
export async function moveEvents(
  tx: Transaction,
  split: Way,
  rows: readonly MovingEvent[],
): Promise<void> {
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
    join events_with_tags as events on events.project_id = ${projectId} and events.issue_id = ${to}
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
  if (newest !== undefined) await describeIssue(tx, projectId, to, newest.event);
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
  { projectId, to }: Way,
  rows: readonly MovingEvent[],
): Promise<WholeEvent[]> {
  const some = rows.slice(-READ_A_BATCH);
  const found = await tx<(PayloadPlace & { day: string })[]>`
    select event_id as "eventId", ("timestamp" at time zone 'UTC')::date::text as day,
      ${payloadColumns(tx)}
    from events
    where project_id = ${projectId} and issue_id = ${to}
      and "timestamp" >= ${some[0]?.at ?? ""}::text::timestamptz
      and "timestamp" <= ${some.at(-1)?.at ?? ""}::text::timestamptz
      and event_id = any (${some.map(({ eventId }) => eventId)}::uuid[])
    order by "timestamp", event_id
  `;
  const packed = await withPayloads(tx, projectId, found);
  return packed.flatMap(({ day, payload }) => {
    const event = readEvent(payload);
    return event === null ? [] : [{ day, event }];
  });
}

async function copyTags(
  tx: Transaction,
  { projectId, to }: Way,
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
  { projectId, from, to }: Way,
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
export async function describeIssue(
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
  { projectId, from, to }: Way,
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

/** The event of a payload; null for what is none. */
export function readEvent(payload: string): NormalizedEvent | null {
  try {
    const event: unknown = JSON.parse(payload);
    return isNormalized(event) ? event : null;
  } catch {
    return null;
  }
}

/** Payloads are stored in one shape only; what else is there says nothing. */
function isNormalized(event: unknown): event is NormalizedEvent {
  return typeof event === "object" && event !== null && "type" in event && "platform" in event;
}
