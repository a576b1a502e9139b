/** Error events and feedback of a person, with their files. */
import { type FoundEvent, readEvent, removeEvents, removeFiles } from "../../errors/mod.ts";
import type { Sql } from "../../store/database.ts";
import { payloadColumns, type PayloadPlace, withPayloads } from "../../store/event_chunks/read.ts";
import { type Identity, isSameUser, userFactsOf, userKeysOf } from "../identity.ts";
import { BATCH, type DataStores, source, type StoredFile } from "./source.ts";

interface EventRow extends FoundEvent {
  readonly issueId: string;
  readonly userKey: string | null;
  readonly payload: string;
}

/** Issues that this person is known to have met, by the lists that issues keep. */
export async function issuesOf(
  sql: Sql,
  projectId: string,
  who: Identity,
  from: string,
  limit: number,
): Promise<string[]> {
  const facts = userFactsOf(who);
  const rows = await sql<{ id: string }[]>`
    select distinct issue_id as id from (
      select issue_id from issue_users
      where project_id = ${projectId} and user_key = any (${userKeysOf(who)}::text[])
      union all
      select issue_id from issue_tags
      where project_id = ${projectId} and (key, value) in (
        select * from unnest(
          ${facts.map(([key]) => key)}::text[], ${facts.map(([, value]) => value)}::text[]
        )
      )
    ) as known where issue_id >= ${from} order by issue_id limit ${limit}
  `;
  return rows.map(({ id }) => id);
}

/** Cursor: issue, time and id of the last event that was looked at. */
export const events = source<EventRow>({
  name: "events",
  async next({ sql }, projectId, who, cursor) {
    const [issue = "1", at = "", id = ""] = cursor?.split("|") ?? [];
    const [issueId] = await issuesOf(sql, projectId, who, issue, 1);
    if (issueId === undefined) return { rows: [], cursor: null };
    const goesOn = issueId === issue && at !== "";
    const found = await sql<(Omit<EventRow, "payload"> & PayloadPlace)[]>`
      select issue_id as "issueId", event_id as "eventId", "timestamp"::text as at,
        user_key as "userKey", ${payloadColumns(sql)}
      from events where project_id = ${projectId} and issue_id = ${issueId}
        ${
      goesOn ? sql`and ("timestamp", event_id) > (${at}::text::timestamptz, ${id}::uuid)` : sql``
    }
        ${who.kind === "id" ? sql`and user_key = any (${userKeysOf(who)}::text[])` : sql``}
      order by "timestamp", event_id limit ${BATCH}
    `;
    const last = found.at(-1);
    const keys = userKeysOf(who);
    const events = await withPayloads(sql, projectId, found);
    const rows = events.filter(({ userKey, payload }) =>
      userKey !== null && keys.includes(userKey) || isSameUser(who, userOf(payload))
    );
    return {
      rows,
      cursor: last !== undefined && found.length === BATCH
        ? `${issueId}|${last.at}|${last.eventId}`
        : String(BigInt(issueId) + 1n),
    };
  },
  json: ({ issueId, eventId, at, payload }) => ({
    eventId,
    issueId,
    timestamp: at,
    event: readEvent(payload),
  }),
  files: (stores, projectId, rows) =>
    attachmentsOf(stores, projectId, rows.map(({ eventId }) => eventId)),
  async erase(stores, projectId, _who, rows) {
    const [first] = rows;
    if (first === undefined) return {};
    const facts = rows.flatMap(({ payload }) => namesOf(userOf(payload)));
    const unique = [...new Map(facts.map((fact) => [fact.join("="), fact])).values()];
    return { ...await removeEvents(stores, projectId, first.issueId, rows, unique) };
  },
});

/** All that an event says of who its user is, as issues can be searched by it. */
function namesOf(user: Readonly<Record<string, unknown>> = {}): [key: string, value: string][] {
  const fields = { id: "id", email: "email", username: "username", ip_address: "ip", name: "name" };
  return Object.entries(fields).flatMap(([field, name]): [string, string][] => {
    const value = user[field];
    return typeof value === "string" ? [[`user.${name}`, value], ["user", `${name}:${value}`]] : [];
  });
}

function userOf(payload: string): Readonly<Record<string, unknown>> | undefined {
  const user = readEvent(payload)?.user;
  return user === undefined ? undefined : { ...user };
}

async function attachmentsOf(
  { sql }: DataStores,
  projectId: string,
  ids: readonly string[],
): Promise<StoredFile[]> {
  return await sql<StoredFile[]>`
    select 'attachments/' || event_id || '-' || attachment_id as name, blob_key as key
    from attachments where project_id = ${projectId} and event_id = any (${[...ids]}::uuid[])
  `;
}

interface FeedbackRow {
  readonly id: string;
  readonly shown: unknown;
}

export const feedback = source<FeedbackRow>({
  name: "feedback",
  async next({ sql }, projectId, who, cursor) {
    const isTheirs = who.kind === "email"
      ? sql`(user_key = any (${
        userKeysOf(who)
      }::text[]) or lower(email) = ${who.value.toLowerCase()})`
      : sql`user_key = any (${userKeysOf(who)}::text[])`;
    const rows = await sql<FeedbackRow[]>`
      select feedback_id as id, jsonb_build_object('feedbackId', feedback_id, 'timestamp', "timestamp",
        'message', message, 'name', name, 'email', email, 'url', url, 'user', user_key,
        'event', event_id) as shown
      from feedback where project_id = ${projectId} and ${isTheirs}
        ${cursor === null ? sql`` : sql`and feedback_id > ${cursor}::uuid`}
      order by feedback_id limit ${BATCH}
    `;
    const last = rows.at(-1);
    return { rows, cursor: last !== undefined && rows.length === BATCH ? last.id : null };
  },
  json: ({ shown }) => shown,
  files: (stores, projectId, rows) => attachmentsOf(stores, projectId, rows.map(({ id }) => id)),
  async erase(stores, projectId, _who, rows) {
    if (rows.length === 0) return {};
    const ids = rows.map(({ id }) => id);
    const attachments = await removeFiles(stores, projectId, ids);
    const { count } = await stores.sql`
      delete from feedback where project_id = ${projectId} and feedback_id = any (${ids}::uuid[])
    `;
    return { feedback: count, attachments };
  },
});
