import type { Sql } from "../store/database.ts";

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
