/** What is stored of a person, counted while somebody waits. */
import type { Project } from "../accounts/projects.ts";
import type { Sql } from "../store/database.ts";
import { nullIfSlow } from "../store/query_limits.ts";
import { type Identity, userKeysOf } from "./identity.ts";
import { issuesOf } from "./sources/events.ts";
import { sessionHashes } from "./sources/sessions.ts";

export interface ProjectSummary {
  readonly project: Pick<Project, "id" | "name">;
  /** Issues that name the person. */
  readonly issues: number;
  /** Of those whose main identifier it is, up to {@linkcode MOST}; null: it took too long. */
  readonly events: number | null;
  readonly transactions: number | null;
  readonly feedback: number;
  readonly sessions: number | null;
}

/** No page counts further. */
export const MOST = 10_000;
const MAX_ISSUES = 1_000;

/** What each project has; logs are searched by the export and the deletion alone, as nothing leads to them. */
export async function summaryOf(
  sql: Sql,
  projects: readonly Project[],
  who: Identity,
): Promise<ProjectSummary[]> {
  const found: ProjectSummary[] = [];
  for (const project of projects) found.push(await projectSummary(sql, project, who));
  return found.filter(({ issues, transactions, feedback, sessions }) =>
    issues + feedback > 0 || transactions !== 0 || sessions !== 0
  );
}

async function projectSummary(sql: Sql, project: Project, who: Identity): Promise<ProjectSummary> {
  const keys = userKeysOf(who);
  const issues = await issuesOf(sql, project.id, who, "0", MAX_ISSUES);
  const count = async (rows: PromiseLike<readonly { count: number }[]>) =>
    (await nullIfSlow(Promise.resolve(rows)))?.[0]?.count ?? null;
  const [events, transactions, feedback, sessions] = await Promise.all([
    issues.length === 0 ? 0 : count(sql`
      select count(*)::int as count from (
        select 1 from events where project_id = ${project.id}
          and issue_id = any (${issues}::bigint[]) and user_key = any (${keys}::text[]) limit ${MOST}
      ) as found
    `),
    count(sql`
      select count(*)::int as count from (
        select 1 from transactions where project_id = ${project.id} and user_key is not null
          and lower(user_key) = any (${keys.map((key) => key.toLowerCase())}::text[]) limit ${MOST}
      ) as found
    `),
    count(sql`
      select count(*)::int as count from feedback
      where project_id = ${project.id} and (user_key = any (${keys}::text[])
        or ${who.kind === "email"} and lower(email) = ${who.value.toLowerCase()})
    `),
    count(sql`
      select count(*)::int as count from session_users
      where project_id = ${project.id}
        and user_hash = any (${sessionHashes(project.id, who)}::text[])
    `),
  ]);
  const { id, name } = project;
  return {
    project: { id, name },
    issues: issues.length,
    events,
    transactions,
    feedback: feedback ?? 0,
    sessions,
  };
}
