import type postgres from "postgres";
import { storable } from "../core/errors.ts";
import type { Level } from "../records/mod.ts";
import type { Queryable, Sql } from "../store/database.ts";
import { allTagsOf, eventsWithShared } from "../store/event_tags.ts";
import { payloadColumns, type PayloadPlace, withPayloads } from "../store/event_chunks/read.ts";
import {
  type CursorPage,
  cutPage,
  inScope,
  isHexId,
  isIsoTime,
  keyset,
  type QueryScope,
  readCursor,
  withinTime,
} from "../store/query_limits.ts";
import { likePattern } from "../store/values.ts";

/** An event as lists show it. */
export interface EventRow {
  /** 32 lower-case hex digits. */
  readonly eventId: string;
  readonly issueId: string;
  readonly timestamp: Date;
  readonly receivedAt: Date;
  readonly level: Level;
  readonly platform: string;
  readonly environment: string;
  readonly release: string;
  readonly transaction: string;
  readonly title: string;
  /** As `id:7`, or null. */
  readonly userKey: string | null;
  /** 32 lower-case hex digits, or null. */
  readonly traceId: string | null;
  /** In order of their keys. */
  readonly tags: readonly (readonly [key: string, value: string])[];
}

export interface StoredEvent extends EventRow {
  /** The normalised event as JSON text. */
  readonly payload: string;
}

export type EventPage = CursorPage<EventRow>;

interface EventListQuery extends QueryScope {
  readonly projectId: string;
  readonly issueId: string;
  /** A condition on a row `t` of events. @default all */
  readonly matching?: (sql: Queryable) => postgres.Fragment;
  readonly cursor: string | null;
  readonly limit: number;
}

/** The event with an id, or null. */
export async function findEvent(
  sql: Sql,
  projectId: string,
  eventId: string,
): Promise<StoredEvent | null> {
  // The time from `event_ids` leads to the one partition that has it.
  const found = await sql<PackedEvent[]>`
    select ${eventColumns(sql)}, ${payloadColumns(sql)}
    from event_ids
    join ${eventsWithShared(sql)} as events using (project_id, issue_id, "timestamp", event_id)
    where project_id = ${projectId} and event_id = ${eventId}::uuid
  `;
  const [event] = await withPayloads(sql, projectId, found);
  return event ?? null;
}

/**
 * One event of an issue, or null.
 *
 * @param which `latest`, `oldest`, or an event id of 32 hex digits
 */
export async function findEventOfIssue(
  sql: Sql,
  projectId: string,
  issueId: string,
  which: string,
): Promise<StoredEvent | null> {
  if (which !== "latest" && which !== "oldest") {
    const event = await findEvent(sql, projectId, which);
    return event?.issueId === issueId ? event : null;
  }
  const [issue] = await sql<{ firstSeen: Date; lastSeen: Date }[]>`
    select first_seen as "firstSeen", last_seen as "lastSeen" from issues
    where project_id = ${projectId} and id = ${issueId}
  `;
  if (issue === undefined) return null;
  const edge = which === "latest" ? issue.lastSeen : issue.firstSeen;
  // Nearly always the event is where the issue says; otherwise it has expired, and the whole range is searched.
  return await atEdge(sql, projectId, issueId, which, edge, edge) ??
    await atEdge(sql, projectId, issueId, which, issue.firstSeen, issue.lastSeen);
}

async function atEdge(
  sql: Sql,
  projectId: string,
  issueId: string,
  which: "latest" | "oldest",
  from: Date,
  to: Date,
): Promise<StoredEvent | null> {
  const found = await sql<PackedEvent[]>`
    select ${eventColumns(sql)}, ${payloadColumns(sql)} from ${eventsWithShared(sql)} as events
    where project_id = ${projectId} and issue_id = ${issueId}
      and "timestamp" >= ${from} and "timestamp" < ${new Date(to.getTime() + 1)}
    order by ${
    which === "latest" ? sql`"timestamp" desc, event_id desc` : sql`"timestamp", event_id`
  }
    limit 1
  `;
  const [event] = await withPayloads(sql, projectId, found);
  return event ?? null;
}

type PackedEvent = EventRow & PayloadPlace;

/** The ids of the events of the same issue just after and just before an event. */
export async function neighbours(
  sql: Sql,
  projectId: string,
  event: Pick<EventRow, "issueId" | "eventId" | "timestamp">,
): Promise<{ newer: string | null; older: string | null }> {
  const { issueId, eventId, timestamp } = event;
  const [[newer], [older]] = await Promise.all([
    sql<{ eventId: string }[]>`
      select replace(event_id::text, '-', '') as "eventId" from events
      where project_id = ${projectId} and issue_id = ${issueId}
        and "timestamp" >= ${timestamp}
        and ("timestamp", event_id) > (${timestamp}, ${eventId}::uuid)
      order by "timestamp", event_id
      limit 1
    `,
    sql<{ eventId: string }[]>`
      select replace(event_id::text, '-', '') as "eventId" from events
      where project_id = ${projectId} and issue_id = ${issueId}
        and "timestamp" <= ${timestamp}
        and ("timestamp", event_id) < (${timestamp}, ${eventId}::uuid)
      order by "timestamp" desc, event_id desc
      limit 1
    `,
  ]);
  return { newer: newer?.eventId ?? null, older: older?.eventId ?? null };
}

/** A search for what is rare looks at every event of the issue: nobody waits for that any longer. */
const STATEMENT_TIMEOUT_MS = 8_000;

/** The events of an issue in scope, newest first. @throws {QueryTooSlow} */
export function listEventsOfIssue(sql: Sql, query: EventListQuery): Promise<EventPage> {
  return pageOfEvents<EventRow>(sql, query, eventColumns(sql));
}

/** The same with everything in them. */
export async function listWholeEventsOfIssue(
  sql: Sql,
  query: EventListQuery,
): Promise<CursorPage<StoredEvent>> {
  const whole = sql`${eventColumns(sql)}, ${payloadColumns(sql)}`;
  const page = await pageOfEvents<PackedEvent>(sql, query, whole);
  return { ...page, rows: await withPayloads(sql, query.projectId, page.rows) };
}

async function pageOfEvents<Row extends EventRow>(
  sql: Sql,
  query: EventListQuery,
  selected: postgres.Fragment,
): Promise<CursorPage<Row>> {
  const { projectId, issueId, limit } = query;
  const cursor = readCursor(query.cursor, (value, id) => isIsoTime(value) && isHexId(id));
  const { beyond, order } = keyset(
    sql,
    cursor,
    [sql`"timestamp"`, sql`event_id`],
    ({ value, id }) => sql`${value}::text::timestamptz, ${id}::uuid`,
  );
  const { matching } = query;
  const read = (by: Queryable) =>
    by<Row[]>`
      select ${selected} from ${eventsWithShared(sql)} as events
      where project_id = ${projectId} and issue_id = ${issueId}
        and "timestamp" >= ${query.start} and "timestamp" < ${query.end}
      ${inScope(by, query)} ${beyond}
      ${
      matching === undefined ? by`` : by`and (select ${matching(by)} from (select events.*) as t)`
    }
      order by ${order}
      limit ${limit + 1}
    `;
  const found = matching === undefined
    ? await read(sql)
    : await withinTime(sql, STATEMENT_TIMEOUT_MS, read);
  return cutPage(found, limit, cursor, ({ timestamp, eventId }) => ({
    value: timestamp.toISOString(),
    id: eventId,
  }));
}

function eventColumns(sql: Sql): postgres.Fragment {
  return sql`
    replace(events.event_id::text, '-', '') as "eventId",
    events.issue_id as "issueId",
    events."timestamp",
    events.received_at as "receivedAt",
    events.level,
    events.platform,
    events.environment,
    events.release,
    events.transaction,
    events.title,
    events.user_key as "userKey",
    replace(events.trace_id::text, '-', '') as "traceId",
    (select coalesce(jsonb_agg(jsonb_build_array(key, value) order by key), '[]')
      from jsonb_each_text(${allTagsOf(sql, "events")})) as tags
  `;
}

export interface AttachmentRow {
  /** 32 lower-case hex digits. */
  readonly attachmentId: string;
  readonly filename: string;
  /** As the client said: never to be served as it is. */
  readonly contentType: string;
  readonly attachmentType: string;
  readonly sizeBytes: number;
  readonly blobKey: string;
}

/** More files than this nobody sends with one event. */
const MAX_ATTACHMENTS = 100;

/** The files that came with an event, by name. */
export async function attachmentsOf(
  sql: Sql,
  projectId: string,
  eventId: string,
): Promise<AttachmentRow[]> {
  const rows = await sql<(Omit<AttachmentRow, "sizeBytes"> & { sizeBytes: string })[]>`
    select
      replace(attachment_id::text, '-', '') as "attachmentId", filename,
      content_type as "contentType", attachment_type as "attachmentType",
      size_bytes as "sizeBytes", blob_key as "blobKey"
    from attachments
    where project_id = ${projectId} and event_id = ${eventId}::uuid
    order by filename, attachment_id
    limit ${MAX_ATTACHMENTS}
  `;
  return rows.map((row) => ({ ...row, sizeBytes: Number(row.sizeBytes) }));
}

export interface FeedbackRow {
  /** 32 lower-case hex digits. */
  readonly feedbackId: string;
  readonly timestamp: Date;
  readonly message: string;
  readonly name: string;
  readonly email: string;
  readonly url: string;
  readonly source: string;
  readonly environment: string;
  readonly release: string;
  readonly isResolved: boolean;
  /** The error it is about, and its issue; null without one, or when it never came or has expired. */
  readonly eventId: string | null;
  readonly issueId: string | null;
}

interface FeedbackQuery extends QueryScope {
  readonly projectId: string;
  readonly isResolved: boolean;
  /** Part of the message, the name or the mail address; `""` for all. */
  readonly search: string;
  readonly cursor: string | null;
  readonly limit: number;
}

/** One page of a project's feedback, newest first. */
export async function listFeedback(
  sql: Sql,
  query: FeedbackQuery,
): Promise<CursorPage<FeedbackRow>> {
  const { projectId, start, end, isResolved, search, limit } = query;
  const cursor = readCursor(query.cursor, (value, id) => isIsoTime(value) && isHexId(id));
  const { beyond, order } = keyset(
    sql,
    cursor,
    [sql`f."timestamp"`, sql`f.feedback_id`],
    ({ value, id }) => sql`${value}::text::timestamptz, ${id}::uuid`,
  );
  const pattern = `%${likePattern(storable(search))}%`;
  const found = await sql<FeedbackRow[]>`
    select ${feedbackColumns(sql)}
    from feedback f
    left join event_ids e on e.project_id = f.project_id and e.event_id = f.event_id
    where f.project_id = ${projectId} and f."timestamp" >= ${start} and f."timestamp" < ${end}
      and f.is_resolved = ${isResolved} ${inScope(sql, query)}
      ${
    search === ""
      ? sql``
      : sql`and (f.message ilike ${pattern} or f.name ilike ${pattern} or f.email ilike ${pattern})`
  }
      ${beyond}
    order by ${order}
    limit ${limit + 1}
  `;
  return cutPage(found, limit, cursor, ({ timestamp, feedbackId }) => ({
    value: timestamp.toISOString(),
    id: feedbackId,
  }));
}

/** What people wrote about one event, oldest first. */
export async function feedbackOfEvent(
  sql: Sql,
  projectId: string,
  eventId: string,
): Promise<FeedbackRow[]> {
  return await sql<FeedbackRow[]>`
    select ${feedbackColumns(sql)}
    from feedback f
    left join event_ids e on e.project_id = f.project_id and e.event_id = f.event_id
    where f.project_id = ${projectId} and f.event_id = ${eventId}::uuid
    order by f."timestamp" limit 20
  `;
}

/** Marks feedback as done, or open again. @returns how many changed */
export async function resolveFeedback(
  sql: Sql,
  projectId: string,
  feedbackIds: readonly string[],
  isResolved: boolean,
): Promise<number> {
  const { count } = await sql`
    update feedback set is_resolved = ${isResolved}
    where project_id = ${projectId} and feedback_id = any (${[...feedbackIds]}::uuid[])
      and is_resolved <> ${isResolved}
  `;
  return count;
}

function feedbackColumns(sql: Sql) {
  return sql`
    replace(f.feedback_id::text, '-', '') as "feedbackId", f."timestamp", f.message, f.name, f.email,
    f.url, f.source, f.environment, f.release, f.is_resolved as "isResolved",
    replace(f.event_id::text, '-', '') as "eventId", e.issue_id as "issueId"
  `;
}
