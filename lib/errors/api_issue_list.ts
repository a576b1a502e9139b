import type { ProjectAccess } from "../accounts/authorize.ts";
import { type Merged, mergeIssues } from "./issue_merge.ts";
import { letEventsFollow } from "./issue_moves.ts";
import { issuesByProject, unhandledIssues } from "./issue_project.ts";
import { setIssueStatus } from "./issue_status.ts";
import { type Issue, listIssuesOf } from "./issues.ts";
import type { ApiContext } from "../api/api.ts";
import { ApiError } from "../api/api_error.ts";
import { readJson } from "../api/api_input.ts";
import { issueRowJson } from "./api_issue.ts";
import { readIssueQuery } from "../api/issue_query.ts";
import { IssueChanges } from "./api_issue_update.ts";
import { listReply } from "../api/api_page.ts";

/** An update without ids is for all that match, but not for more than so many at once. */
const MAX_UPDATED = 1_000;
const UPDATE_PAGE = 100;

/** The issues of projects, by the parameters of Sentry's clients. */
export async function issueListReply(
  ctx: ApiContext,
  accesses: readonly ProjectAccess[],
): Promise<Response> {
  const { sql, config } = ctx.state.services;
  const page = await listIssuesOf(sql, accesses.map(({ project }) => project.id), queryOf(ctx));
  const unhandled = await unhandledOf(ctx, page.rows);
  const accessOf = new Map(accesses.map((access) => [access.project.id, access]));
  const rows = page.rows.flatMap((row) => {
    const access = accessOf.get(row.projectId);
    return access === undefined
      ? []
      : [issueRowJson(row, access, config.baseUrl, unhandled.has(row.id))];
  });
  return listReply(ctx, rows, page);
}

async function unhandledOf(ctx: ApiContext, rows: readonly Issue[]): Promise<Set<string>> {
  const byProject = Map.groupBy(rows, ({ projectId }) => projectId);
  const found = await Promise.all(
    [...byProject].map(([projectId, issues]) =>
      unhandledIssues(ctx.state.services.sql, projectId, issues.map(({ id }) => id))
    ),
  );
  return new Set(found.flatMap((ids) => [...ids]));
}

/**
 * Changes the status of the issues that `?id=` names, any number of times, or of those that match the
 * search, or merges them: 204 when none of these projects has one of them.
 *
 * @throws {ApiError} 400 for a merge of issues of several projects
 */
export async function issuesUpdateReply(
  ctx: ApiContext,
  accesses: readonly ProjectAccess[],
): Promise<Response> {
  const { sql } = ctx.state.services;
  const { status, merge } = await readJson(ctx.req, IssueChanges);
  const chosen = await chosenIssues(ctx, accesses.map(({ project }) => project.id));
  if (chosen.size === 0) return new Response(null, { status: 204 });
  if (merge && chosen.size > 1) {
    throw ApiError.detail(400, "Only issues of one project can be merged.");
  }
  let merged: Merged | null = null;
  for (const [projectId, ids] of chosen) {
    if (status !== undefined) await setIssueStatus(sql, projectId, ids, status);
    if (!merge) continue;
    merged = await mergeIssues(sql, projectId, ids);
    if (merged !== null) await letEventsFollow(ctx.state.services, projectId);
  }
  if (merged === null) return Response.json({ status, statusDetails: {} });
  const { into: parent, sources: children } = merged;
  return Response.json({ status, statusDetails: {}, merge: { parent, children } });
}

function queryOf(ctx: ApiContext) {
  return readIssueQuery(ctx.url.searchParams, ctx.state.services.config.retentionDays);
}

/** Issue ids by project id. */
async function chosenIssues(
  ctx: ApiContext,
  projectIds: readonly string[],
): Promise<Map<string, string[]>> {
  const { sql } = ctx.state.services;
  const named = ctx.url.searchParams.getAll("id");
  if (named.length > 0) return await issuesByProject(sql, projectIds, named);
  const query = { ...queryOf(ctx), limit: UPDATE_PAGE };
  const found: Issue[] = [];
  for (let cursor: string | null = null; found.length < MAX_UPDATED;) {
    const page = await listIssuesOf(sql, projectIds, { ...query, cursor });
    found.push(...page.rows);
    cursor = page.nextCursor;
    if (cursor === null) break;
  }
  const byProject = Map.groupBy(found, ({ projectId }) => projectId);
  return new Map(
    [...byProject].map(([projectId, issues]) => [projectId, issues.map(({ id }) => id)]),
  );
}
