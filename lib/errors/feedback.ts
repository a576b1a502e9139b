import { type CursorPage, cutPage, isIsoTime, readCursor } from "../store/cursor.ts";
import type { Sql } from "../store/database.ts";
import { likePattern } from "../store/like_pattern.ts";
import { inScope, type QueryScope } from "../store/scope_filter.ts";
import { storable } from "../core/storable.ts";

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

export interface FeedbackQuery extends QueryScope {
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
  const cursor = readCursor(
    query.cursor,
    (value, id) => isIsoTime(value) && /^[0-9a-f]{32}$/.test(id),
  );
  const isBackwards = cursor?.direction === "previous";
  const pattern = `%${likePattern(storable(search))}%`;
  const beyond = cursor === null
    ? sql``
    : isBackwards
    ? sql`and (f."timestamp", f.feedback_id) > (${cursor.value}::text::timestamptz, ${cursor.id}::uuid)`
    : sql`and (f."timestamp", f.feedback_id) < (${cursor.value}::text::timestamptz, ${cursor.id}::uuid)`;
  const found = await sql<FeedbackRow[]>`
    select ${columns(sql)}
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
    order by ${
    isBackwards ? sql`f."timestamp", f.feedback_id` : sql`f."timestamp" desc, f.feedback_id desc`
  }
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
    select ${columns(sql)}
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

function columns(sql: Sql) {
  return sql`
    replace(f.feedback_id::text, '-', '') as "feedbackId", f."timestamp", f.message, f.name, f.email,
    f.url, f.source, f.environment, f.release, f.is_resolved as "isResolved",
    replace(f.event_id::text, '-', '') as "eventId", e.issue_id as "issueId"
  `;
}
