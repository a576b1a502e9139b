import type { Sql } from "../store/database.ts";
import type { FeedbackRow } from "./events.ts";

/** What a person wrote about an event of an issue. */
export type UserReport =
  & Pick<FeedbackRow, "feedbackId" | "timestamp" | "message" | "name" | "email">
  & { readonly eventId: string; readonly userKey: string | null };

/** How many people wrote about events of an issue. */
export async function countReports(sql: Sql, projectId: string, issueId: string): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::int as count
    from feedback as f join event_ids as e using (project_id, event_id)
    where f.project_id = ${projectId} and f.event_id is not null and e.issue_id = ${issueId}
  `;
  return row?.count ?? 0;
}

/** What they wrote, the newest first. */
export async function reportsOfIssue(
  sql: Sql,
  projectId: string,
  issueId: string,
  { offset, limit }: { readonly offset: number; readonly limit: number },
): Promise<UserReport[]> {
  return await sql<UserReport[]>`
    select
      replace(f.feedback_id::text, '-', '') as "feedbackId", f."timestamp", f.message, f.name,
      f.email, replace(f.event_id::text, '-', '') as "eventId", f.user_key as "userKey"
    from feedback as f join event_ids as e using (project_id, event_id)
    where f.project_id = ${projectId} and f.event_id is not null and e.issue_id = ${issueId}
    order by f."timestamp" desc, f.feedback_id
    limit ${limit} offset ${offset}
  `;
}
