import { countsInScope, issueSparklines } from "./issue_counts.ts";
import { unhandledIssues } from "./issue_project.ts";
import { setIssueStatus } from "./issue_status.ts";
import { findIssue } from "./issues.ts";
import { occurrences } from "./occurrences.ts";
import { DAY_MS } from "../store/scope_filter.ts";
import type { ApiContext } from "../api/api.ts";
import { readJson } from "../api/api_input.ts";
import { hourly, issueJson, releaseJson } from "./api_issue.ts";
import { type IssueAccess, requireIssue } from "./api_issue_access.ts";
import { readScope } from "../api/issue_query.ts";
import { IssueChanges } from "./api_issue_update.ts";

const STATS_DAYS = 30;

/** One issue. */
export async function issueReply(ctx: ApiContext): Promise<Response> {
  const { access, issue } = await requireIssue(ctx, "project:read");
  return Response.json(await issueDetailJson(ctx, { access, issue }));
}

/** Changes the status of one issue and answers with the issue. */
export async function issueUpdateReply(ctx: ApiContext): Promise<Response> {
  const { access, issue } = await requireIssue(ctx, "issue:write");
  const { status } = await readJson(ctx.req, IssueChanges);
  const { sql } = ctx.state.services;
  if (status !== undefined) await setIssueStatus(sql, access.project.id, [issue.id], status);
  const changed = await findIssue(sql, access.project.id, issue.id) ?? issue;
  return Response.json(await issueDetailJson(ctx, { access, issue: changed }));
}

/** Of some environments only, where the request names some: then the count is theirs too. */
async function issueDetailJson(ctx: ApiContext, { access, issue }: IssueAccess) {
  const { sql, config } = ctx.state.services;
  const now = new Date();
  const scope = readScope(ctx.url.searchParams, config.retentionDays, now);
  const projectId = access.project.id;
  const [unhandled, counts, lines, days] = await Promise.all([
    unhandledIssues(sql, projectId, [issue.id]),
    countsInScope(sql, projectId, [issue.id], scope),
    issueSparklines(sql, projectId, [issue.id], scope, now),
    occurrences(sql, projectId, issue.id, {
      ...scope,
      start: new Date(now.getTime() - STATS_DAYS * DAY_MS),
      end: now,
      bucketSec: DAY_MS / 1000,
    }),
  ]);
  const count = scope.environments.length === 0 ? issue.timesSeen : counts.get(issue.id) ?? 0;
  const firstDay = days.start.getTime();
  return {
    ...issueJson(issue, access, config.baseUrl, unhandled.has(issue.id)),
    count: String(count),
    stats: {
      "24h": hourly(lines.get(issue.id) ?? [], now),
      "30d": days.counts.map((n, day) => [(firstDay + day * DAY_MS) / 1000, n]),
    },
    firstRelease: releaseJson(issue.firstRelease),
    lastRelease: releaseJson(issue.lastRelease),
    userReportCount: 0,
    activity: [],
    participants: [],
    seenBy: [],
    pluginActions: [],
    pluginIssues: [],
    pluginContexts: [],
  };
}
