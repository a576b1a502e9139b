/**
 * Where something is stored of a person, one source after the other: how it is found in bounded batches, what of it is
 * exported, and how it is deleted. Batches go on behind a cursor, so that work that was cut short begins where it was.
 */
import { createHash } from "node:crypto";
import {
  forgetUser,
  type FoundEvent,
  readEvent,
  removeEvents,
  removeFiles,
} from "../errors/mod.ts";
import type { Sql } from "../store/database.ts";
import type { ObjectStore } from "../store/objects/store.ts";
import { payloadColumns, type PayloadPlace, withPayloads } from "../store/event_chunks/read.ts";
import {
  eraseSpans,
  packedColumns,
  type PackedRow,
  withSpans,
} from "../store/spans/stored_spans.ts";
import { unpackText } from "../store/values.ts";
import {
  type Identity,
  isSameUser,
  logAttributesOf,
  spellings,
  userFactsOf,
  userKeysOf,
} from "./identity.ts";

export interface DataStores {
  readonly sql: Sql;
  readonly objects: ObjectStore;
}

/** How much there was, by kind of data. */
export type Counts = Readonly<Record<string, number>>;

/** A file that belongs to a row, by its key in the object store. */
interface StoredFile {
  readonly name: string;
  readonly key: string;
}

export interface Batch<Row> {
  readonly rows: readonly Row[];
  /** Null: this was the last. */
  readonly cursor: string | null;
}

export interface Source<Row> {
  /** Name of its file in an export, and of its first count. */
  readonly name: string;
  readonly next: (
    stores: DataStores,
    projectId: string,
    who: Identity,
    cursor: string | null,
  ) => Promise<Batch<Row>>;
  readonly json: (row: Row) => unknown;
  readonly files?: (
    stores: DataStores,
    projectId: string,
    rows: readonly Row[],
  ) => Promise<StoredFile[]>;
  readonly erase: (
    stores: DataStores,
    projectId: string,
    who: Identity,
    rows: readonly Row[],
  ) => Promise<Counts>;
}

/** Rows a batch: small enough for a transaction that nobody waits for. */
const BATCH = 200;

/** Keeps the type of a source's rows to itself. */
export type AnySource = ReturnType<typeof source>;

/** What is done with a batch, whatever its rows are. */
function source<Row>(inner: Source<Row>) {
  return {
    name: inner.name,
    /** Reads a batch and does one of both with it. */
    async step(
      stores: DataStores,
      projectId: string,
      who: Identity,
      cursor: string | null,
      isErasing: boolean,
    ): Promise<Step> {
      const batch = await inner.next(stores, projectId, who, cursor);
      if (isErasing) {
        const counts = await inner.erase(stores, projectId, who, batch.rows);
        return { cursor: batch.cursor, counts, lines: [], files: [] };
      }
      const files = inner.files && batch.rows.length > 0
        ? await inner.files(stores, projectId, batch.rows)
        : [];
      return {
        cursor: batch.cursor,
        counts: {
          [inner.name]: batch.rows.length,
          ...(files.length > 0 ? { files: files.length } : {}),
        },
        lines: batch.rows.map(inner.json),
        files,
      };
    },
  };
}

export interface Step {
  readonly cursor: string | null;
  readonly counts: Counts;
  /** To be exported. */
  readonly lines: readonly unknown[];
  readonly files: readonly StoredFile[];
}

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
const events = source<EventRow>({
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

interface TransactionRow {
  readonly eventId: string;
  readonly at: string;
  readonly name: string;
  readonly traceId: string;
  readonly payload: Uint8Array;
  readonly tags: unknown;
  readonly durationMs: number;
  readonly spans: unknown[];
}

const transactions = source<TransactionRow>({
  name: "transactions",
  async next({ sql }, projectId, who, cursor) {
    const [at = "", id = ""] = cursor?.split("|") ?? [];
    const keys = userKeysOf(who);
    const found = await sql<Omit<TransactionRow, "spans">[]>`
      select event_id as "eventId", "timestamp"::text as at, name, trace_id as "traceId", payload,
        tags, duration_ms as "durationMs"
      from transactions
      where project_id = ${projectId} and user_key is not null
        and lower(user_key) = any (${keys.map((key) => key.toLowerCase())}::text[])
        and user_key = any (${keys}::text[])
        ${
      at === "" ? sql`` : sql`and ("timestamp", event_id) > (${at}::text::timestamptz, ${id}::uuid)`
    }
      order by "timestamp", event_id limit ${BATCH}
    `;
    const last = found.at(-1);
    const spans = await spansOf(sql, projectId, found.map(({ traceId }) => traceId));
    return {
      rows: found.map((row) => ({ ...row, spans: spans.get(row.traceId) ?? [] })),
      cursor: last !== undefined && found.length === BATCH ? `${last.at}|${last.eventId}` : null,
    };
  },
  json: ({ payload, at, ...row }) => ({
    ...row,
    timestamp: at,
    transaction: payload.length === 0 ? null : JSON.parse(unpackText(payload)),
  }),
  async files({ sql }, projectId, rows) {
    return await sql<StoredFile[]>`
      select 'profiles/' || profile_id || '.pprof' as name, blob_key as key from profiles
      where project_id = ${projectId} and trace_id = any (${
      rows.map(({ traceId }) => traceId)
    }::uuid[])
        and transaction_id = any (${rows.map(({ eventId }) => eventId)}::uuid[])
    `;
  },
  async erase(stores, projectId, _who, rows) {
    if (rows.length === 0) return {};
    const { sql } = stores;
    const ids = rows.map(({ eventId }) => eventId);
    const traces = [...new Set(rows.map(({ traceId }) => traceId))];
    const attachments = await removeFiles(stores, projectId, ids);
    const profiles = await removeProfiles(stores, projectId, traces, ids);
    const spans = await eraseSpans(sql, projectId, traces);
    const { count } = await sql`
      delete from transactions using unnest(
        ${ids}::uuid[], ${rows.map(({ at }) => at)}::text[]::timestamptz[]
      ) as batch (event_id, "timestamp")
      where project_id = ${projectId} and transactions."timestamp" = batch."timestamp"
        and transactions.event_id = batch.event_id
    `;
    return { transactions: count, spans, profiles, attachments };
  },
});

async function spansOf(
  sql: Sql,
  projectId: string,
  traceIds: readonly string[],
): Promise<Map<string, unknown[]>> {
  const rows = await sql<(PackedRow & { traceId: string })[]>`
    select trace_id as "traceId", ${packedColumns(sql)} from span_batches
    where project_id = ${projectId} and trace_id = any (${[...traceIds]}::uuid[])
  `;
  const spans = new Map<string, unknown[]>();
  for (const { traceId, spans: some } of await withSpans(sql, projectId, rows)) {
    spans.set(traceId, [...spans.get(traceId) ?? [], ...some]);
  }
  return spans;
}

async function removeProfiles(
  { sql, objects }: DataStores,
  projectId: string,
  traces: readonly string[],
  transactionIds: readonly string[],
): Promise<number> {
  const found = await sql<{ id: string; keys: string[] }[]>`
    select profile_id as id, array[blob_key, original_key] as keys from profiles
    where project_id = ${projectId} and trace_id = any (${[...traces]}::uuid[])
      and transaction_id = any (${[...transactionIds]}::uuid[])
  `;
  for (const { keys } of found) {
    for (const key of keys.filter((each) => each !== "")) await objects.delete(key);
  }
  const ids = found.map(({ id }) => id);
  await sql`
    delete from profile_traces
    where project_id = ${projectId} and trace_id = any (${[...traces]}::uuid[])
      and profile_id = any (${ids}::uuid[])
  `;
  await sql`delete from profiles where project_id = ${projectId} and profile_id = any (${ids}::uuid[])`;
  return ids.length;
}

interface FeedbackRow {
  readonly id: string;
  readonly shown: unknown;
}

const feedback = source<FeedbackRow>({
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

interface SessionRow {
  readonly id: string;
  readonly shown: unknown;
}

/** Sessions know a hash of what identified the user, whatever kind it was. */
export function sessionHashes(projectId: string, { kind, value }: Identity): string[] {
  return spellings(kind, value).map((each) =>
    createHash("sha256").update(`${projectId}/${each}`).digest("hex").slice(0, 32)
  );
}

const sessions = source<SessionRow>({
  name: "sessions",
  async next({ sql }, projectId, who, cursor) {
    const rows = await sql<SessionRow[]>`
      select session_id as id, jsonb_build_object('sessionId', session_id, 'startedAt', started_at,
        'status', status, 'errors', errors, 'durationSec', duration_sec, 'release', release,
        'environment', environment) as shown
      from sessions
      where project_id = ${projectId} and user_hash = any (${sessionHashes(projectId, who)}::text[])
        ${cursor === null ? sql`` : sql`and session_id > ${cursor}::uuid`}
      order by session_id limit ${BATCH}
    `;
    const last = rows.at(-1);
    return { rows, cursor: last !== undefined && rows.length === BATCH ? last.id : null };
  },
  json: ({ shown }) => shown,
  async erase({ sql }, projectId, _who, rows) {
    const { count } = await sql`
      delete from sessions
      where project_id = ${projectId} and session_id = any (${rows.map(({ id }) => id)}::uuid[])
    `;
    return { sessions: count };
  },
});

interface SessionDayRow {
  readonly day: string;
  readonly release: string;
  readonly environment: string;
  readonly hash: string;
}

const sessionDays = source<SessionDayRow>({
  name: "session_days",
  async next({ sql }, projectId, who) {
    const rows = await sql<SessionDayRow[]>`
      select day::text as day, release, environment, user_hash as hash from session_users
      where project_id = ${projectId} and user_hash = any (${sessionHashes(projectId, who)}::text[])
      order by day, release, environment limit ${10 * BATCH}
    `;
    return { rows, cursor: null };
  },
  json: ({ hash: _, ...row }) => row,
  async erase({ sql }, projectId, who) {
    const { count } = await sql`
      delete from session_users
      where project_id = ${projectId} and user_hash = any (${sessionHashes(projectId, who)}::text[])
    `;
    return { session_days: count };
  },
});

interface LogRow {
  readonly id: string;
  readonly at: string;
  readonly shown: unknown;
}

/** Logs have no index of users: each look reads a stretch of time of the project. */
const logs = source<LogRow>({
  name: "logs",
  async next({ sql }, projectId, who, cursor) {
    const [at = "", id = ""] = cursor?.split("|") ?? [];
    const values = spellings(who.kind, who.value);
    const [first, ...others] = logAttributesOf(who).map((name) =>
      sql`attributes->>${name} = any (${values}::text[])`
    );
    const isTheirs = first && others.reduce((all, each) => sql`${all} or ${each}`, first);
    const rows = await sql<LogRow[]>`
      select log_id as id, "timestamp"::text as at, jsonb_build_object('timestamp', "timestamp",
        'level', level, 'body', body, 'logger', logger, 'attributes', attributes) as shown
      from logs where project_id = ${projectId} and (${isTheirs ?? sql`false`})
        ${
      at === "" ? sql`` : sql`and ("timestamp", log_id) > (${at}::text::timestamptz, ${id}::uuid)`
    }
      order by "timestamp", log_id limit ${5 * BATCH}
    `;
    const last = rows.at(-1);
    const isFull = rows.length === 5 * BATCH;
    return { rows, cursor: last !== undefined && isFull ? `${last.at}|${last.id}` : null };
  },
  json: ({ shown }) => shown,
  async erase({ sql }, projectId, _who, rows) {
    if (rows.length === 0) return {};
    // Segments have counted them, see store/search_index.
    const [gone] = await sql<{ count: number }[]>`
      with gone as (
        delete from logs using unnest(
          ${rows.map(({ id }) => id)}::uuid[], ${rows.map(({ at }) => at)}::text[]::timestamptz[]
        ) as batch (log_id, "timestamp")
        where project_id = ${projectId} and logs."timestamp" = batch."timestamp"
          and logs.log_id = batch.log_id
        returning logs."timestamp"
      ), noted as (
        insert into late_rows (project_id, "table", hour)
        select distinct ${projectId}::bigint, 'log', date_trunc('hour', "timestamp", 'UTC') from gone
      )
      select count(*)::int as count from gone
    `;
    return { logs: gone?.count ?? 0 };
  },
});

/** Last: what remains is where an identity stands in lists of issues. */
const lists = source<never>({
  name: "lists",
  next: () => Promise.resolve({ rows: [], cursor: null }),
  json: (row) => row,
  async erase({ sql }, projectId, who) {
    return { lists: await forgetUser(sql, projectId, userKeysOf(who), userFactsOf(who)) };
  },
});

/** In the order of the work. */
export const SOURCES: readonly AnySource[] = [
  events,
  transactions,
  feedback,
  sessions,
  sessionDays,
  logs,
  lists,
];
