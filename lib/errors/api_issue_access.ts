import { authorize, type ProjectAccess } from "../accounts/authorize.ts";
import { listProjects } from "../accounts/projects.ts";
import type { Permission } from "../accounts/roles.ts";
import { projectOfIssue } from "./issue_project.ts";
import { findIssue, type Issue } from "./issues.ts";
import type { ApiContext } from "../api/api.ts";
import { requireOrganization, visibleProjects } from "../api/access.ts";
import { ApiError } from "../api/api_error.ts";

export interface IssueAccess {
  readonly access: ProjectAccess;
  readonly issue: Issue;
}

/**
 * Lets a request pass to the issue in its address. The address does not name the project, so the issue is
 * looked for in the projects that the actor sees (of the organization, where the address names one):
 * what others have is not found.
 *
 * @throws {Denied} as `authorize()`
 * @throws {ApiError} 404
 */
export async function requireIssue(ctx: ApiContext, permission: Permission): Promise<IssueAccess> {
  const { kv, sql } = ctx.state.services;
  const issueId = ctx.params.issue ?? "";
  const projectIds = await projectIdsInSight(ctx);
  const projectId = await projectOfIssue(sql, projectIds, issueId);
  if (projectId === null) throw notFound();
  const access = await authorize(kv, ctx.state.actor, { projectId }, permission);
  const found = await findIssue(sql, projectId, issueId);
  // Old links to a merged issue lead to what it is part of.
  const issue = found?.mergedInto ? await findIssue(sql, projectId, found.mergedInto) : found;
  if (issue === null) throw notFound();
  return { access, issue };
}

async function projectIdsInSight(ctx: ApiContext): Promise<string[]> {
  if (ctx.params.organization === undefined) {
    return (await visibleProjects(ctx)).map(({ project }) => project.id);
  }
  const { organization } = await requireOrganization(ctx, "project:read");
  const projects = await listProjects(ctx.state.services.kv, organization.id);
  return projects.map(({ id }) => id);
}

function notFound(): ApiError {
  return ApiError.detail(404, "The requested resource does not exist.");
}
