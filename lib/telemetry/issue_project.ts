import type { Sql } from "./database.ts";

const ISSUE_ID = /^\d{1,18}$/;

/**
 * Which of these projects has an issue. Issue ids are drawn from one sequence, so at most one has it.
 *
 * @param issueId what a client sent, whatever it is
 * @returns the project's id, or null
 */
export async function projectOfIssue(
  sql: Sql,
  projectIds: readonly string[],
  issueId: string,
): Promise<string | null> {
  if (!ISSUE_ID.test(issueId) || projectIds.length === 0) return null;
  const [found] = await sql<{ projectId: string }[]>`
    select project_id as "projectId" from issues
    where project_id = any (${[...projectIds]}::bigint[]) and id = ${issueId}
  `;
  return found?.projectId ?? null;
}
