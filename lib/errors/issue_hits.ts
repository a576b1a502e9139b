/** How many issues a search finds, and where an event is that somebody searches for. */
import type { Sql } from "../store/database.ts";
import { withinTime } from "../store/query_limits.ts";
import type { IssueQuery } from "./issues.ts";
import { type IssueSelection, matching, nodeCondition } from "./search/conditions.ts";
import { settle } from "./search/settle.ts";
import type { IssueFilter, IssueStatus } from "./search/terms.ts";

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
    const filter = await settle(sql, projectId, query.filter, query.searcher);
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

/** Issues by status, and of those that are open, some that somebody looks for first. */
export type IssueCounts = Readonly<Record<IssueStatus | "for_review" | "assigned", number>>;

/** What is assigned to who searches, or to a team of theirs. */
export const MINE: IssueFilter = { kind: "people", about: "assigned", names: ["me", "my_teams"] };
export const FOR_REVIEW: IssueFilter = { kind: "for_review" };

/** How many issues have each status, under the same scope and search. @throws {QueryTooSlow} */
export async function countIssues(
  sql: Sql,
  asked: Omit<IssueSelection, "statuses">,
): Promise<IssueCounts> {
  const { projectId, searcher } = asked;
  const [filter, mine] = await Promise.all(
    [asked.filter, MINE].map((each) => settle(sql, projectId, each, searcher)),
  );
  const selection = { ...asked, filter: filter ?? asked.filter };
  const rows = await withinTime(
    sql,
    TIMEOUT_MS,
    (tx) => {
      const having = (node: IssueFilter) =>
        tx`count(*) filter (where ${nodeCondition(tx, selection, node)})::int`;
      return tx<{ status: IssueStatus; count: number; review: number; mine: number }[]>`
        select i.status, count(*)::int as count, ${having(FOR_REVIEW)} as review,
          ${having(mine ?? MINE)} as mine
        from issues i
        where ${matching(tx, selection)}
        group by i.status
      `;
    },
  );
  const of = (status: IssueStatus) => rows.find((row) => row.status === status);
  return {
    unresolved: of("unresolved")?.count ?? 0,
    resolved: of("resolved")?.count ?? 0,
    ignored: of("ignored")?.count ?? 0,
    for_review: of("unresolved")?.review ?? 0,
    assigned: of("unresolved")?.mine ?? 0,
  };
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
