/** Deleting and discarding issues as requests of the API ask for it. */
import { authorize, nameOfActor } from "../../accounts/authorize.ts";
import { type ApiContext, ApiError } from "../../api/route.ts";
import { deleteIssues } from "./delete_issues.ts";
import { letDataGo } from "./purge.ts";

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
