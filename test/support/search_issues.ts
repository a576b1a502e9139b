import { parseIssueSearch } from "@/lib/errors/search/parse.ts";
import { listIssues } from "@/lib/errors/issues.ts";
import type { Sql } from "@/lib/store/database.ts";

/** Ids of the issues of a project that a search finds, in order, as its list does without a status. */
export async function idsFound(sql: Sql, projectId: string, search: string): Promise<string[]> {
  const { rows } = await listIssues(sql, {
    projectId,
    filter: parseIssueSearch(search).filter,
    environments: [],
    releases: [],
    start: new Date(0),
    end: new Date(Date.now() + 60_000),
    sort: "last_seen",
    cursor: null,
    limit: 100,
  });
  return rows.map(({ id }) => id).sort();
}
