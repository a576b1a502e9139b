import type { Sql } from "@/lib/store/database.ts";
import type { ErrorEvent } from "@/lib/records/mod.ts";
import { errorEvent } from "@/test/support/error_event.ts";

export const PROJECT = "7";
export const HOUR_MS = 3_600_000;
export const NOON = new Date(
  Math.floor(Date.now() / (24 * HOUR_MS)) * 24 * HOUR_MS - 12 * HOUR_MS,
);
export const never = new AbortController().signal;

/** Events of a group: `users` one each, an hour apart. */
export function eventsOf(
  group: string,
  users: readonly string[],
  fields: Partial<ErrorEvent> = {},
): ErrorEvent[] {
  return users.map((user, index) =>
    errorEvent({
      group,
      user,
      timestamp: new Date(NOON.getTime() - index * HOUR_MS),
      tags: [["group", group]],
      ...fields,
    })
  );
}

/** The issue that stands for itself and has this title; `""` without one. */
export async function issueIdOf(
  sql: Sql,
  title: string,
  projectId: string = PROJECT,
): Promise<string> {
  const [row] = await sql<{ id: string }[]>`
    select id from issues
    where project_id = ${projectId} and title = ${`Error: ${title}`} and merged_into is null
  `;
  return row?.id ?? "";
}

/** How many rows each table has that names issues of a project, or their events; those without any are left out. */
export async function rowsLeft(
  sql: Sql,
  projectId: string = PROJECT,
): Promise<Record<string, number>> {
  const tables = [
    "issues",
    "issue_hashes",
    "issue_tags",
    "issue_users",
    "issue_hours",
    "issue_days",
    "events",
    "event_ids",
    "attachments",
    "issue_shares",
    "issue_moves",
    "issue_splits",
    "deleted_issues",
  ];
  const left: Record<string, number> = {};
  for (const table of tables) {
    const [row] = await sql<{ count: number }[]>`
      select count(*)::int as count from ${sql(table)} where project_id = ${projectId}
    `;
    if (row !== undefined && row.count > 0) left[table] = row.count;
  }
  return left;
}
