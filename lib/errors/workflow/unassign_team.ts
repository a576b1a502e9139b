import type { Sql } from "../../store/database.ts";

/**
 * Makes the issues of a team nobody's, because it is gone. Until this is done, who reads them finds no such team.
 *
 * @param projectIds all projects of the organization that had it
 * @param now what their activity says
 * @returns how many issues there were
 */
export async function unassignTeam(
  sql: Sql,
  projectIds: readonly string[],
  teamId: string,
  now: Date = new Date(),
): Promise<number> {
  const rows = await sql`
    with freed as (
      update issues set assignee_kind = null, assignee_id = null, assigned_by = null
      where project_id = any (${[...projectIds]}::bigint[])
        and assignee_kind = 'team' and assignee_id = ${teamId}
      returning project_id, id
    )
    insert into issue_activity (project_id, issue_id, type, actor_kind, created_at)
    select project_id, id, 'unassigned', 'system', ${now} from freed
    returning id
  `;
  return rows.length;
}
