import type { Sql } from "../store/database.ts";
import type { AttachmentRow } from "./events.ts";

/** A file that came with an event. */
export type IssueFile = Omit<AttachmentRow, "blobKey"> & {
  readonly eventId: string;
  readonly timestamp: Date;
};

/** The files that came with events of an issue, the newest first. */
export async function filesOfIssue(
  sql: Sql,
  projectId: string,
  issueId: string,
  { offset, limit }: { readonly offset: number; readonly limit: number },
): Promise<IssueFile[]> {
  return await sql<IssueFile[]>`
    select
      replace(a.attachment_id::text, '-', '') as "attachmentId", a.filename,
      a.content_type as "contentType", a.attachment_type as "attachmentType",
      a.size_bytes::float8 as "sizeBytes", replace(a.event_id::text, '-', '') as "eventId",
      e."timestamp"
    from attachments as a join event_ids as e using (project_id, event_id)
    where a.project_id = ${projectId} and e.issue_id = ${issueId}
    order by e."timestamp" desc, a.attachment_id
    limit ${limit} offset ${offset}
  `;
}
