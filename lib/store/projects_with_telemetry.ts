/** Which projects something is stored of, whatever the control store says. */
import type { Sql } from "./database.ts";
import { NO_PROJECT } from "../records/mod.ts";

/** A project that has anything has something in one of these. */
const FOUND_BY = [
  "issues",
  "outcome_hours",
  "attachments",
  "profiles",
  "dashboards",
  "metrics",
  "notification_channels",
  "alert_rules",
] as const;

/** The ids of all projects that something is stored of. */
export async function projectsWithTelemetry(sql: Sql): Promise<string[]> {
  const found = new Set<string>();
  // A database of an earlier version lacks some.
  const tables = await sql<{ name: string }[]>`
    select name from unnest(${FOUND_BY.map(String)}::text[]) as tables (name)
    where to_regclass(name) is not null
  `;
  for (const { name: table } of tables) {
    // Hops from project to project in the primary key instead of reading every row.
    const rows = await sql<{ projectId: string }[]>`
      with recursive hops (project_id) as (
        (select project_id from ${sql(table)} order by project_id limit 1)
        union all
        select (
          select project_id from ${sql(table)}
          where project_id > hops.project_id order by project_id limit 1
        )
        from hops where hops.project_id is not null
      )
      select project_id as "projectId" from hops where project_id is not null
    `;
    for (const { projectId } of rows) {
      if (projectId !== NO_PROJECT) found.add(projectId);
    }
  }
  return [...found];
}
