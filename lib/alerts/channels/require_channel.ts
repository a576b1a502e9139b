import type { Actor, ProjectAccess } from "../../accounts/authorize.ts";
import type { Permission } from "../../accounts/roles.ts";
import { type Channel, findChannel } from "./channels.ts";
import type { ApiContext } from "../../api/api.ts";
import { requireProject } from "../../api/access.ts";
import { ApiError } from "../../api/api_error.ts";

/**
 * Lets a request pass to the channel in its address.
 *
 * @throws {Denied} as `requireProject()`
 * @throws {ApiError} 404 when the project has no such channel
 */
export async function requireChannel(
  ctx: ApiContext,
  permission: Permission,
): Promise<ProjectAccess & { readonly channel: Channel }> {
  const access = await requireProject(ctx, permission);
  const { sql } = ctx.state.services;
  const channel = await findChannel(sql, access.project.id, ctx.params.channel ?? "");
  if (channel === null) throw notFound();
  return { ...access, channel };
}

export function notFound(): ApiError {
  return ApiError.detail(404, "The requested resource does not exist.");
}

/** E-mail address of who asks; `""` for the bootstrap token. */
export function emailOf(actor: Actor): string {
  return actor.kind === "user" || actor.kind === "token" ? actor.user.email : "";
}
