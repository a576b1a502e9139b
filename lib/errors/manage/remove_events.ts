/** Deletes single events with what was counted of them, while their issue stays. */
import type { Queryable, Sql, Transaction } from "../../store/database.ts";
import type { ObjectStore } from "../../store/objects/store.ts";
import { chunkColumns } from "../../store/event_chunks/read.ts";
import { deletePayloads, type PackedEvent } from "../../store/event_chunks/rewrite.ts";
import { inTransaction } from "../../store/audit.ts";

/** An event as a query of `events` finds it. */
export interface FoundEvent {
  readonly eventId: string;
  /** As Postgres writes it. */
  readonly at: string;
}

/**
 * Deletes events of one issue: their files, their places in every count, themselves. Doing it twice changes nothing more.
 *
 * @param facts by which the issue is to be found no more
 * @returns how many events and files went
 */
export async function removeEvents(
  { sql, objects }: { readonly sql: Sql; readonly objects: ObjectStore },
  projectId: string,
  issueId: string,
  events: readonly FoundEvent[],
  facts: readonly (readonly [key: string, value: string])[] = [],
): Promise<{ readonly events: number; readonly attachments: number }> {
  const ids = events.map(({ eventId }) => eventId);
  const times = events.map(({ at }) => at);
  const attachments = await removeFiles({ sql, objects }, projectId, ids);
  const gone = await inTransaction(sql, async (tx) => {
    await tx`
      delete from issue_tags using unnest(
        ${facts.map(([key]) => key)}::text[], ${facts.map(([, value]) => value)}::text[]
      ) as fact (key, value)
      where project_id = ${projectId} and issue_id = ${issueId}
        and issue_tags.key = fact.key and issue_tags.value = fact.value
    `;
    // One at a time: a second one that deletes the same would take them from the counts again.
    await tx`select 1 from issues where project_id = ${projectId} and id = ${issueId} for update`;
    await uncount(tx, projectId, issueId, ids, times);
    await tx`update feedback set event_id = null where project_id = ${projectId} and event_id = any (${ids}::uuid[])`;
    await tx`
      delete from event_ids
      where project_id = ${projectId} and event_id = any (${ids}::uuid[]) and issue_id = ${issueId}
    `;
    const deleted = await tx<PackedEvent[]>`
      delete from events using ${named(tx, ids, times)}
      where events.project_id = ${projectId} and events.issue_id = ${issueId}
        and events."timestamp" = batch."timestamp" and events.event_id = batch.event_id
      returning events.event_id as "eventId", ${chunkColumns(tx)}
    `;
    await deletePayloads(tx, projectId, deleted);
    return deleted.length;
  });
  return { events: gone, attachments };
}

function named(tx: Queryable, ids: readonly string[], times: readonly string[]) {
  return tx`unnest(${[...ids]}::uuid[], ${[
    ...times,
  ]}::text[]::timestamptz[]) as batch (event_id, "timestamp")`;
}

const TALLIES = [
  ["issue_days", "day", `("timestamp" at time zone 'UTC')::date`],
  ["issue_hours", "hour", `date_trunc('hour', "timestamp", 'UTC')`],
] as const;

async function uncount(
  tx: Transaction,
  projectId: string,
  issueId: string,
  ids: readonly string[],
  times: readonly string[],
): Promise<void> {
  const gone = tx`(
    select events."timestamp", events.event_id, environment, release from ${named(tx, ids, times)}
    join events on events.project_id = ${projectId} and events.issue_id = ${issueId}
      and events."timestamp" = batch."timestamp" and events.event_id = batch.event_id
  )`;
  await tx`
    update issues set
      times_seen = greatest(times_seen - (select count(*) from ${gone} as gone), 0),
      last_event_id = case when last_event_id = any (${[
    ...ids,
  ]}::uuid[]) then null else last_event_id end
    where project_id = ${projectId} and id = ${issueId}
  `;
  for (const [table, time, of] of TALLIES) {
    await tx`
      update ${tx(table)} as known set times_seen = greatest(known.times_seen - counted.count, 0)
      from (
        select ${tx.unsafe(of)} as at, environment, release, count(*)::int as count
        from ${gone} as gone group by 1, 2, 3
      ) as counted
      where known.project_id = ${projectId} and known.issue_id = ${issueId}
        and known.${tx(time)} = counted.at and known.environment = counted.environment
        and known.release = counted.release
    `;
  }
}

const PARALLEL = 8;

/**
 * Deletes the files of events, the bytes before the rows that name them.
 *
 * @param ids of events, transactions or feedback
 */
export async function removeFiles(
  { sql, objects }: { readonly sql: Sql; readonly objects: ObjectStore },
  projectId: string,
  ids: readonly string[],
): Promise<number> {
  const files = await sql<{ key: string }[]>`
    select blob_key as key from attachments
    where project_id = ${projectId} and event_id = any (${[...ids]}::uuid[])
  `;
  for (let index = 0; index < files.length; index += PARALLEL) {
    await Promise.all(files.slice(index, index + PARALLEL).map(({ key }) => objects.delete(key)));
  }
  const { count } = await sql`
    delete from attachments where project_id = ${projectId} and event_id = any (${[...ids]}::uuid[])
  `;
  return count;
}

/** Takes an identity out of the lists of an issue's users and tags, and out of their count. */
export async function forgetUser(
  sql: Sql,
  projectId: string,
  keys: readonly string[],
  facts: readonly (readonly [key: string, value: string])[],
): Promise<number> {
  return await inTransaction(sql, async (tx) => {
    // Tags, users, issues: as the writer locks them.
    const { count } = await tx`
      delete from issue_tags using unnest(
        ${facts.map(([key]) => key)}::text[], ${facts.map(([, value]) => value)}::text[]
      ) as fact (key, value)
      where project_id = ${projectId} and issue_tags.key = fact.key and issue_tags.value = fact.value
    `;
    const [row] = await tx<{ count: number }[]>`
      with gone as (
        delete from issue_users where project_id = ${projectId} and user_key = any (${[
      ...keys,
    ]}::text[])
        returning issue_id
      ),
      counted as (
        update issues set users_seen = greatest(users_seen - users.count, 0)
        from (select issue_id, count(*) as count from gone group by 1) as users
        where issues.project_id = ${projectId} and issues.id = users.issue_id
      )
      select count(*)::int as count from gone
    `;
    return (row?.count ?? 0) + count;
  });
}
