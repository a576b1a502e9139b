import type { ProjectAccess } from "../accounts/authorize.ts";
import type { Permission } from "../accounts/roles.ts";
import {
  findRule,
  type StoredRule,
  TooManyRules,
  UnknownChannel,
} from "./rules.ts";
import { summariesOf } from "./states.ts";
import type { ApiContext } from "../api/api.ts";
import { requireProject } from "../api/access.ts";
import { ApiError } from "../api/api_error.ts";
import { alertJson } from "./alert_json.ts";

/**
 * Lets a request pass to the alert in its address.
 *
 * @throws {Denied} as `requireProject()`
 * @throws {ApiError} 404 when the project has no such alert
 */
export async function requireAlert(
  ctx: ApiContext,
  permission: Permission,
): Promise<ProjectAccess & { readonly rule: StoredRule }> {
  const access = await requireProject(ctx, permission);
  const rule = await findRule(ctx.state.services.sql, access.project.id, ctx.params.alert ?? "");
  if (rule === null) throw noSuchAlert();
  return { ...access, rule };
}

/**
 * An alert as the answer to a request.
 *
 * @param rule null when somebody deleted it a moment ago
 * @throws {ApiError} 404 then
 */
export async function alertReply(
  ctx: ApiContext,
  rule: StoredRule | null,
  status = 200,
): Promise<Response> {
  if (rule === null) throw noSuchAlert();
  const summaries = await summariesOf(ctx.state.services.sql, rule.projectId);
  return Response.json(alertJson(rule, summaries.get(rule.ruleId)), { status });
}

/**
 * Saves an alert.
 *
 * @throws {ApiError} 400 for what only the store can tell: a channel of nobody, an alert too many
 */
export async function savingAlert<T>(save: () => Promise<T>): Promise<T> {
  try {
    return await save();
  } catch (error) {
    if (error instanceof UnknownChannel) {
      throw ApiError.fields({ [`channelIds.${error.place}`]: [error.message] });
    }
    throw error instanceof TooManyRules ? ApiError.detail(400, error.message) : error;
  }
}

function noSuchAlert(): ApiError {
  return ApiError.detail(404, "The requested resource does not exist.");
}
