/** Errors and messages in the shape of Sentry's events, each with the issue that it belongs to; and their files. */
import {
  payloadColumns,
  type PayloadPlace,
  plainId,
  withPayloads,
} from "../../store/event_chunks/read.ts";
import { findIssueIds } from "./issues.ts";
import type { Piece } from "../parts.ts";
import {
  BATCH,
  cursorBehind,
  type ExportSource,
  linesOf,
  type Range,
  readCursor,
  type SourceStores,
} from "./source.ts";

interface EventRow extends PayloadPlace {
  readonly id: string;
  readonly at: string;
  readonly issueId: string;
}

interface AttachmentRow {
  readonly eventId: string;
  readonly attachmentId: string;
  readonly timestamp: Date;
  readonly filename: string;
  readonly contentType: string;
  readonly attachmentType: string;
  readonly key: string;
}

export const events: ExportSource = {
  name: "events",
  async next(stores, range, cursor) {
    const { sql } = stores;
    const from = readCursor(cursor);
    const found = await sql<EventRow[]>`
      select event_id::text as id, replace(event_id::text, '-', '') as "eventId",
        "timestamp"::text as at, issue_id as "issueId", ${payloadColumns(sql)}
      from events
      where project_id = ${range.projectId} and "timestamp" >= ${range.since}
        and "timestamp" < ${range.until}
        ${
      from === null
        ? sql``
        : sql`and ("timestamp", event_id) > (${from.at}::text::timestamptz, ${from.id}::uuid)`
    }
      order by "timestamp", event_id limit ${BATCH}
    `;
    const events = await withPayloads(sql, range.projectId, found);
    const issues = await findIssueIds(sql, range, events.map(({ issueId }) => issueId));
    const files = await filesOf(stores, range, found.map(({ id }) => id));
    return {
      cursor: cursorBehind(found, BATCH),
      counts: { events: events.length, attachments: files.count },
      pieces: [
        ...linesOf(
          "events.jsonl",
          events.map(({ payload, issueId }) => ({
            ...JSON.parse(payload),
            issue: issues.get(issueId) ?? { id: issueId },
          })),
        ),
        ...files.pieces,
      ],
    };
  },
};

/** The files of events, and a line about each. Those that are gone are left out. */
async function filesOf(
  { sql, objects }: SourceStores,
  { projectId }: Range,
  ids: readonly string[],
) {
  const rows = await sql<AttachmentRow[]>`
    select event_id::text as "eventId", attachment_id::text as "attachmentId", "timestamp",
      filename, content_type as "contentType", attachment_type as "attachmentType", blob_key as key
    from attachments where project_id = ${projectId} and event_id = any (${[...ids]}::uuid[])
    order by event_id, attachment_id
  `;
  const lines: unknown[] = [];
  const pieces: Piece[] = [];
  for (const { key, eventId, attachmentId, ...facts } of rows) {
    const content = await objects.get(key);
    if (content === null) continue;
    const file = `attachments/${plainId(eventId)}-${plainId(attachmentId)}`;
    pieces.push({ name: file, content });
    lines.push({ eventId: plainId(eventId), attachmentId: plainId(attachmentId), ...facts, file });
  }
  return { count: lines.length, pieces: [...pieces, ...linesOf("attachments.jsonl", lines)] };
}
