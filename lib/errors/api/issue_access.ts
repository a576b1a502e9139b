/** The gate in front of all that is about one issue. */
import { authorize, type ProjectAccess } from "../../accounts/authorize.ts";
import type { Permission } from "../../accounts/members.ts";
import type { Project } from "../../accounts/projects.ts";
import { listVisibleProjects } from "../../accounts/visibility.ts";
import { requireOrganization, visibleProjects } from "../../api/access.ts";
import { type ApiContext, behind, notFound } from "../../api/route.ts";
import { findIssue, type Issue } from "../issues.ts";
import { findIssueNamed } from "../workflow/short_id.ts";
import { type IssueActor, SYSTEM } from "../workflow/state.ts";

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
async function requireIssue(ctx: ApiContext, permission: Permission): Promise<IssueAccess> {
  const { kv, sql } = ctx.state.services;
  const found = await findIssueNamed(sql, ctx.params.issue ?? "", await projectsInSight(ctx));
  if (found === null) throw notFound();
  const { projectId } = found;
  const access = await authorize(kv, ctx.state.actor, { projectId }, permission);
  const issue = await findIssue(sql, projectId, found.id);
  if (issue === null) throw notFound();
  return { access, issue };
}

/** Methods about the issue in the address. */
export const onIssue = behind(requireIssue);

async function projectsInSight(ctx: ApiContext): Promise<Project[]> {
  if (ctx.params.organization === undefined) {
    return (await visibleProjects(ctx)).map(({ project }) => project);
  }
  const access = await requireOrganization(ctx, "project:read");
  return await listVisibleProjects(ctx.state.services.kv, access);
}

/** Who changes issues, as their activity tells it: tokens that nobody stands behind are nobody. */
export function actorOf({ userId }: Pick<ProjectAccess, "userId">): IssueActor {
  return userId === null ? SYSTEM : { kind: "user", id: userId };
}
