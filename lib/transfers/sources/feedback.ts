/** What people wrote, as Sentry's SDKs send it: an event with `contexts.feedback`. */
import { BATCH, behind, cursorBehind, type ExportSource, linesOf } from "./source.ts";

interface FeedbackRow {
  readonly id: string;
  readonly at: string;
  readonly time: Date;
  readonly receivedAt: Date;
  readonly eventId: string | null;
  readonly message: string;
  readonly name: string;
  readonly email: string;
  readonly url: string;
  readonly source: string;
  readonly platform: string;
  readonly environment: string;
  readonly release: string;
  readonly isResolved: boolean;
  readonly payload: string;
}

export const feedback: ExportSource = {
  name: "feedback",
  async next({ sql }, { projectId, since, until }, cursor) {
    const rows = await sql<FeedbackRow[]>`
      select feedback_id::text as id, "timestamp"::text as at, "timestamp" as time,
        received_at as "receivedAt", replace(event_id::text, '-', '') as "eventId", message, name,
        email, url, source, platform, environment, release, is_resolved as "isResolved", payload
      from feedback
      where project_id = ${projectId} and "timestamp" >= ${since} and "timestamp" < ${until}
        ${behind(sql, cursor, "feedback_id")}
      order by "timestamp", feedback_id limit ${BATCH}
    `;
    return {
      cursor: cursorBehind(rows, BATCH),
      counts: { feedback: rows.length },
      pieces: linesOf("feedback.jsonl", rows.map(eventOf)),
    };
  },
};

/** What the payload lacks stands in columns. */
function eventOf(row: FeedbackRow) {
  const event = JSON.parse(row.payload);
  return {
    ...event,
    type: "feedback",
    event_id: row.id.replaceAll("-", ""),
    timestamp: row.time.getTime() / 1_000,
    received: row.receivedAt.getTime() / 1_000,
    platform: row.platform,
    ...(row.environment !== "" && { environment: row.environment }),
    ...(row.release !== "" && { release: row.release }),
    contexts: {
      ...event.contexts,
      feedback: {
        message: row.message,
        name: row.name,
        contact_email: row.email,
        url: row.url,
        source: row.source,
        associated_event_id: row.eventId,
      },
    },
    is_resolved: row.isResolved,
  };
}
