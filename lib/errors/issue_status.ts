import type { Sql } from "../store/database.ts";

export const ISSUE_STATUSES = ["unresolved", "resolved", "ignored"] as const;
export type IssueStatus = (typeof ISSUE_STATUSES)[number];

/**
 * Sets the status of issues. A decision of a person ends a regression. Issues that have the status already keep
 * the time since when they have it.
 *
 * @param now events received later reopen what is resolved
 * @returns how many issues changed; unknown ids are passed over
 */
export async function setIssueStatus(
  sql: Sql,
  projectId: string,
  issueIds: readonly string[],
  status: IssueStatus,
  now: Date = new Date(),
): Promise<number> {
  // Locked in the writer's order, so that neither waits for the other in a circle.
  const changed = await sql`
    with chosen as (
      select id from issues
      where project_id = ${projectId} and id = any (${[...issueIds]}::bigint[])
      order by id
      for update
    )
    update issues set status = ${status}, status_changed_at = ${now}, is_regressed = false
    from chosen
    where issues.project_id = ${projectId} and issues.id = chosen.id
      and (issues.status <> ${status} or issues.is_regressed)
  `;
  return changed.count;
}
