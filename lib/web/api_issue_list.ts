import type { ProjectAccess } from "../control/authorize.ts";
import { mergeIssues } from "../telemetry/issue_merge.ts";
import { letEventsFollow } from "../telemetry/issue_moves.ts";
import { setIssueStatus } from "../telemetry/issue_status.ts";
import { type IssueQuery, listIssues } from "../telemetry/issues.ts";
import type { ApiContext } from "./api.ts";
import { readJson } from "./api_input.ts";
import { issueRowJson } from "./api_issue.ts";
import { readIssueQuery } from "./api_issue_query.ts";
import { IssueChanges } from "./api_issue_update.ts";
import { listReply } from "./api_page.ts";

/** An update without ids is for all that match, but not for more than so many at once. */
const MAX_UPDATED = 1_000;
const UPDATE_PAGE = 100;

/** The issues of a project, by the parameters of Sentry's clients. */
export async function issueListReply(ctx: ApiContext, access: ProjectAccess): Promise<Response> {
  const { sql, config } = ctx.state.services;
  const page = await listIssues(sql, queryOf(ctx, access));
  const rows = page.rows.map((row) => issueRowJson(row, access, config.baseUrl));
  return listReply(ctx, rows, page);
}

/**
 * Changes the status of the issues that `?id=` names, any number of times, or of those that match the
 * search, or merges them: 204 when there are none.
 */
export async function issuesUpdateReply(ctx: ApiContext, access: ProjectAccess): Promise<Response> {
  const { sql } = ctx.state.services;
  const { status, merge } = await readJson(ctx.req, IssueChanges);
  const ids = await chosenIds(ctx, access);
  if (ids.length === 0) return new Response(null, { status: 204 });
  if (status !== undefined) await setIssueStatus(sql, access.project.id, ids, status);
  const merged = merge ? await mergeIssues(sql, access.project.id, ids) : null;
  if (merged === null) return Response.json({ status, statusDetails: {} });
  await letEventsFollow(ctx.state.services, access.project.id);
  const { into: parent, sources: children } = merged;
  return Response.json({ status, statusDetails: {}, merge: { parent, children } });
}

function queryOf(ctx: ApiContext, { project }: ProjectAccess): IssueQuery {
  return readIssueQuery(
    ctx.url.searchParams,
    project.id,
    ctx.state.services.config.retentionDays,
  );
}

async function chosenIds(ctx: ApiContext, access: ProjectAccess): Promise<string[]> {
  const named = ctx.url.searchParams.getAll("id");
  if (named.length > 0) return named.filter((id) => /^\d{1,18}$/.test(id));
  const query = { ...queryOf(ctx, access), limit: UPDATE_PAGE };
  const ids: string[] = [];
  for (let cursor: string | null = null; ids.length < MAX_UPDATED;) {
    const page = await listIssues(ctx.state.services.sql, { ...query, cursor });
    ids.push(...page.rows.map(({ id }) => id));
    cursor = page.nextCursor;
    if (cursor === null) break;
  }
  return ids;
}
