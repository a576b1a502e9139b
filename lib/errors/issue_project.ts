import type { Sql } from "../store/database.ts";

const ISSUE_ID = /^\d{1,18}$/;

/**
 * Those of these issues that a project has.
 *
 * @param issueIds what a client sent, whatever it is
 */
export async function issuesOfProject(
  sql: Sql,
  projectId: string,
  issueIds: readonly string[],
): Promise<string[]> {
  const ids = issueIds.filter((id) => ISSUE_ID.test(id));
  if (ids.length === 0) return [];
  const rows = await sql<{ id: string }[]>`
    select id from issues where project_id = ${projectId} and id = any (${ids}::bigint[])
  `;
  return rows.map(({ id }) => id);
}

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

/**
 * Which of these issues are in which of these projects; ids that are unknown, or of other projects, are left out. A
 * merged issue stands for what it is part of.
 *
 * @param issueIds what a client sent, whatever it is
 * @returns issue ids by project id
 */
export async function issuesByProject(
  sql: Sql,
  projectIds: readonly string[],
  issueIds: readonly string[],
): Promise<Map<string, string[]>> {
  const ids = issueIds.filter((id) => ISSUE_ID.test(id));
  if (ids.length === 0 || projectIds.length === 0) return new Map();
  const rows = await sql<{ projectId: string; id: string }[]>`
    select distinct project_id as "projectId", coalesce(merged_into, id) as id from issues
    where project_id = any (${[...projectIds]}::bigint[]) and id = any (${ids}::bigint[])
    order by project_id, id
  `;
  const byProject = Map.groupBy(rows, ({ projectId }) => projectId);
  return new Map(
    [...byProject].map(([projectId, found]) => [projectId, found.map(({ id }) => id)]),
  );
}

/** Which of a project's issues something happened in that the application did not catch. */
export async function unhandledIssues(
  sql: Sql,
  projectId: string,
  issueIds: readonly string[],
): Promise<Set<string>> {
  const rows = await sql<{ id: string }[]>`
    select issue_id as id from issue_tags
    where project_id = ${projectId} and issue_id = any (${[...issueIds]}::bigint[])
      and key = 'handled' and value = 'no'
  `;
  return new Set(rows.map(({ id }) => id));
}
