/** How many issues a search finds, and where an event is that somebody searches for. */
import type { Sql } from "../store/database.ts";
import { withinTime } from "../store/query_limits.ts";
import type { IssueQuery } from "./issues.ts";
import { matching } from "./search/conditions.ts";
import { settle } from "./search/settle.ts";

const TIMEOUT_MS = 8_000;

/**
 * How many issues of projects a search finds.
 *
 * @param most after which nobody counts on
 * @throws {QueryTooSlow}
 */
export async function countHits(
  sql: Sql,
  projectIds: readonly string[],
  query: Omit<IssueQuery, "projectId" | "sort" | "cursor" | "limit">,
  most: number,
): Promise<number> {
  const counts = await Promise.all(projectIds.map(async (projectId) => {
    const filter = await settle(sql, projectId, query.filter);
    const [row] = await withinTime(sql, TIMEOUT_MS, (tx) =>
      tx<{ count: number }[]>`
        select count(*)::int as count from (
          select from issues as i where ${matching(tx, { ...query, projectId, filter })}
          limit ${most}
        ) as found
      `);
    return row?.count ?? 0;
  }));
  return Math.min(most, counts.reduce((sum, count) => sum + count, 0));
}

/** Where an event is. */
export interface EventPlace {
  readonly projectId: string;
  readonly issueId: string;
}

/** The project and issue of an event, among some projects. @param eventId 32 hex digits */
export async function placeOfEvent(
  sql: Sql,
  projectIds: readonly string[],
  eventId: string,
): Promise<EventPlace | null> {
  const [place] = await sql<EventPlace[]>`
    select project_id as "projectId", issue_id as "issueId" from event_ids
    where project_id = any (${[...projectIds]}::bigint[]) and event_id = ${eventId}::uuid
    limit 1
  `;
  return place ?? null;
}
