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
  behind,
  cursorBehind,
  type ExportSource,
  linesOf,
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
  readonly bytes: number;
}

/** Of the files of a batch, which are in memory together; an event with larger ones is a batch of its own. */
const FILES_BYTES = 16 * 1024 ** 2;

export const events: ExportSource = {
  name: "events",
  async next(stores, range, cursor) {
    const { sql } = stores;
    const listed = await sql<EventRow[]>`
      select event_id::text as id, replace(event_id::text, '-', '') as "eventId",
        "timestamp"::text as at, issue_id as "issueId", ${payloadColumns(sql)}
      from events
      where project_id = ${range.projectId} and "timestamp" >= ${range.since}
        and "timestamp" < ${range.until}
        ${behind(sql, cursor, "event_id")}
      order by "timestamp", event_id limit ${BATCH}
    `;
    const attached = await attachmentsOf(sql, range.projectId, listed.map(({ id }) => id));
    const found = fitting(listed, attached);
    const events = await withPayloads(sql, range.projectId, found);
    const issues = await findIssueIds(sql, range, events.map(({ issueId }) => issueId));
    const files = await filesOf(stores, found.flatMap(({ id }) => attached.get(id) ?? []));
    return {
      cursor: cursorBehind(found, found.length < listed.length ? found.length : BATCH),
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

type Attached = ReadonlyMap<string, readonly AttachmentRow[]>;

/** By the ids of their events. */
async function attachmentsOf(
  sql: SourceStores["sql"],
  projectId: string,
  ids: readonly string[],
): Promise<Attached> {
  const rows = await sql<AttachmentRow[]>`
    select event_id::text as "eventId", attachment_id::text as "attachmentId", "timestamp",
      filename, content_type as "contentType", attachment_type as "attachmentType", blob_key as key,
      size_bytes::float8 as bytes
    from attachments where project_id = ${projectId} and event_id = any (${[...ids]}::uuid[])
    order by event_id, attachment_id
  `;
  return Map.groupBy(rows, ({ eventId }) => eventId);
}

/** The first of these events, as many as may be in memory with their files; one at least. */
function fitting(events: readonly EventRow[], attached: Attached): readonly EventRow[] {
  let bytes = 0;
  const end = events.findIndex(({ id }) => {
    for (const file of attached.get(id) ?? []) bytes += file.bytes;
    return bytes > FILES_BYTES;
  });
  return end === -1 ? events : events.slice(0, Math.max(1, end));
}

/** The files, and a line about each. Those that are gone are left out. */
async function filesOf({ objects }: SourceStores, rows: readonly AttachmentRow[]) {
  const lines: unknown[] = [];
  const pieces: Piece[] = [];
  for (const { key, eventId, attachmentId, bytes: _, ...facts } of rows) {
    const content = await objects.get(key);
    if (content === null) continue;
    const file = `attachments/${plainId(eventId)}-${plainId(attachmentId)}`;
    pieces.push({ name: file, content });
    lines.push({ eventId: plainId(eventId), attachmentId: plainId(attachmentId), ...facts, file });
  }
  return { count: lines.length, pieces: [...pieces, ...linesOf("attachments.jsonl", lines)] };
}
