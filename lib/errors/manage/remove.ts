/** Deleting, discarding and sharing issues as requests of the API ask for it. */
import { authorize, nameOfActor, type ProjectAccess } from "../../accounts/authorize.ts";
import { type ApiContext, ApiError } from "../../api/route.ts";
import { deleteIssues } from "./delete_issues.ts";
import { letDataGo } from "./purge.ts";
import { setPublic, shareIds } from "./shares.ts";

/** Deletes issues of one project, with or without dropping what comes later of their kind. */
export async function removeIssues(
  ctx: ApiContext,
  projectId: string,
  issueIds: readonly string[],
  isDiscard: boolean,
): Promise<void> {
  const { services, actor } = ctx.state;
  await deleteIssues(services.sql, { projectId, issueIds, by: nameOfActor(actor), isDiscard });
  await letDataGo(services, projectId);
}

/**
 * Discards issues, by id of their projects.
 *
 * @param others names of what else the request would change
 * @throws {ApiError} 400 when that is anything
 * @throws {Denied} 403 for whoever may change issues and not delete them
 */
export async function discardIssues(
  ctx: ApiContext,
  chosen: ReadonlyMap<string, readonly string[]>,
  others: readonly string[],
): Promise<void> {
  if (others.length > 0) {
    throw ApiError.fields({ discard: [`Discard stands alone: leave out ${others.join(", ")}.`] });
  }
  const { services, actor } = ctx.state;
  for (const projectId of chosen.keys()) {
    await authorize(services.kv, actor, { projectId }, "issue:delete");
  }
  for (const [projectId, ids] of chosen) await removeIssues(ctx, projectId, ids, true);
}

/** Makes a new link to an issue in place of those it has, or ends them all. */
export async function changePublic(
  ctx: ApiContext,
  { project }: ProjectAccess,
  issueId: string,
  isPublic: boolean,
): Promise<void> {
  const by = nameOfActor(ctx.state.actor);
  await setPublic(ctx.state.services.sql, { projectId: project.id, issueId, by }, isPublic);
}

/** By issue id, how Sentry tells that an issue is shared. */
export async function publicOf(
  ctx: ApiContext,
  issues: readonly { readonly id: string; readonly projectId: string }[],
): Promise<(issueId: string) => { readonly isPublic: boolean; readonly shareId: string | null }> {
  const byProject = Map.groupBy(issues, ({ projectId }) => projectId);
  const found = await Promise.all(
    [...byProject].map(([projectId, each]) =>
      shareIds(ctx.state.services.sql, projectId, each.map(({ id }) => id))
    ),
  );
  const ids = new Map(found.flatMap((each) => [...each]));
  return (issueId) => ({ isPublic: ids.has(issueId), shareId: ids.get(issueId) ?? null });
}
