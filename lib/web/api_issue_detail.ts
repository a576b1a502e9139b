import { setIssueStatus } from "../telemetry/issue_status.ts";
import { findIssue } from "../telemetry/issues.ts";
import type { ApiContext } from "./api.ts";
import { readJson } from "./api_input.ts";
import { issueJson, releaseJson } from "./api_issue.ts";
import { type IssueAccess, requireIssue } from "./api_issue_access.ts";
import { IssueChanges } from "./api_issue_update.ts";

/** One issue. */
export async function issueReply(ctx: ApiContext): Promise<Response> {
  const { access, issue } = await requireIssue(ctx, "project:read");
  return Response.json(issueDetailJson(ctx, { access, issue }));
}

/** Changes the status of one issue and answers with the issue. */
export async function issueUpdateReply(ctx: ApiContext): Promise<Response> {
  const { access, issue } = await requireIssue(ctx, "issue:write");
  const { status } = await readJson(ctx.req, IssueChanges);
  const { sql } = ctx.state.services;
  if (status !== undefined) await setIssueStatus(sql, access.project.id, [issue.id], status);
  const changed = await findIssue(sql, access.project.id, issue.id) ?? issue;
  return Response.json(issueDetailJson(ctx, { access, issue: changed }));
}

function issueDetailJson({ state }: ApiContext, { access, issue }: IssueAccess) {
  return {
    ...issueJson(issue, access, state.services.config.baseUrl),
    firstRelease: releaseJson(issue.firstRelease),
    lastRelease: releaseJson(issue.lastRelease),
    userReportCount: 0,
    activity: [],
    participants: [],
    seenBy: [],
  };
}
