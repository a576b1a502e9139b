/** Which issues a request about a list is for. */
import type { ProjectAccess } from "../../accounts/authorize.ts";
import type { Project } from "../../accounts/projects.ts";
import { type ApiContext, inSearchTime } from "../../api/route.ts";
import type { Sql } from "../../store/database.ts";
import { type Issue, type IssuePage, issuesByProject, listIssuesOf } from "../issues.ts";
import { findIssueNamed, parseShortId } from "../workflow/short_id.ts";
import { projectsMeant, queryOf } from "./issue_query.ts";

/** A request without ids is for all that match, but not for more than so many at once. */
const MAX_CHOSEN = 1_000;
const PAGE = 100;

/** The issues that `?id=` names, or those that match the search: ids by project id. */
export async function chosenIssues(
  ctx: ApiContext,
  accesses: readonly ProjectAccess[],
): Promise<Map<string, string[]>> {
  const { sql } = ctx.state.services;
  const named = ctx.url.searchParams.getAll("id");
  if (named.length > 0) {
    return await namedIssues(sql, named, accesses.map(({ project }) => project));
  }
  const query = { ...queryOf(ctx), limit: PAGE };
  const projectIds = projectsMeant(query.filter, accesses);
  const found: Issue[] = [];
  for (let cursor: string | null = null; found.length < MAX_CHOSEN;) {
    const page: IssuePage = await inSearchTime(listIssuesOf(sql, projectIds, { ...query, cursor }));
    found.push(...page.rows);
    cursor = page.nextCursor;
    if (cursor === null) break;
  }
  const byProject = Map.groupBy(found, ({ projectId }) => projectId);
  return new Map(
    [...byProject].map(([projectId, issues]) => [projectId, issues.map(({ id }) => id)]),
  );
}

/** Ids and short ids; those that are unknown, or of other projects, are passed over. */
export async function namedIssues(
  sql: Sql,
  named: readonly string[],
  projects: readonly Project[],
): Promise<Map<string, string[]>> {
  const some = named.slice(0, MAX_CHOSEN);
  const short = await Promise.all(
    some.filter((each) => parseShortId(each) !== null)
      .map((each) => findIssueNamed(sql, each, projects)),
  );
  const ids = [...some, ...short.flatMap((found) => found === null ? [] : [found.id])];
  return await issuesByProject(sql, projects.map(({ id }) => id), ids);
}
