import { MINUTE_MS } from "../core/time.ts";
import { z } from "zod";
import { emailOf, type ProjectAccess } from "../accounts/authorize.ts";
import type { Permission } from "../accounts/members.ts";
import { requireProject } from "../api/access.ts";
import { type ApiContext, ApiError, listReply, readJson } from "../api/route.ts";
import { checkAlert } from "./check_input.ts";
import { ALERT_WRITE } from "./pages/actions.ts";
import type { AlertInput, AlertState, AlertTransition } from "./rule.ts";
import { findRule, muteRule, type StoredRule, TooManyRules, UnknownChannel } from "./rules.ts";
import { historyOf, type RuleSummary, summariesOf } from "./states.ts";

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

/**
 * An alert as the API shows it.
 *
 * @param summary of its groups; undefined before the first evaluation
 */
export function alertJson(rule: StoredRule, summary: RuleSummary | undefined) {
  return {
    id: rule.ruleId,
    name: rule.name,
    source: rule.source,
    environments: rule.environments,
    condition: rule.condition,
    windowMinutes: rule.windowMinutes,
    forMinutes: rule.forMinutes,
    noData: rule.noData,
    channelIds: rule.channelIds,
    schedule: rule.schedule,
    mutedUntil: rule.mutedUntil,
    isEnabled: rule.isEnabled,
    status: summary?.worst.status ?? null,
    level: summary?.worst.level ?? null,
    groups: summary?.counts ?? { ok: 0, pending: 0, firing: 0, no_data: 0 },
    lastError: rule.lastError,
    dateEvaluated: rule.evaluatedUntil,
    dateNotified: rule.toldAt,
    dateCreated: rule.createdAt,
    dateUpdated: rule.updatedAt,
    updatedBy: rule.updatedBy,
  };
}

/** How a group of an alert stands. */
export function stateJson({ group, status, level, value, since, evaluatedAt }: AlertState) {
  return { group, status, level, value, since, dateEvaluated: evaluatedAt };
}

/** What happened to a group of an alert. */
function transitionJson({ group, at, from, to, level, value, notice }: AlertTransition) {
  return { group, at, from, to, level, value, notice };
}

const PAGE_SIZE = 100;

/** What happened to an alert, the latest first; `cursor` goes on. */
export async function historyReply(ctx: ApiContext): Promise<Response> {
  const { rule } = await requireAlert(ctx, "project:read");
  const page = await historyOf(ctx.state.services.sql, rule.projectId, rule.ruleId, {
    cursor: ctx.url.searchParams.get("cursor"),
    limit: PAGE_SIZE,
  });
  return listReply(ctx, page.rows.map(transitionJson), page);
}

const YEAR_MINUTES = 366 * 1_440;

const Mute = z.object({
  until: z.iso.datetime({ offset: true, error: "Write a time as 2026-11-30T18:00:00Z." }).nullish(),
  minutes: z.number({ error: "Write a number of minutes." }).positive({
    error: "Write a number of minutes.",
  }).max(YEAR_MINUTES, { error: "At most a year." }).nullish(),
});

/** Holds the notices of an alert back: `until` a time, for `minutes`, or no longer when the body has neither. */
export async function muteReply(ctx: ApiContext): Promise<Response> {
  const { rule } = await requireAlert(ctx, ALERT_WRITE);
  const { until, minutes } = await readJson(ctx.req, Mute);
  const end = until ? new Date(until) : minutes ? new Date(Date.now() + minutes * MINUTE_MS) : null;
  const { sql } = ctx.state.services;
  const by = emailOf(ctx.state.actor);
  return await alertReply(ctx, await muteRule(sql, rule.projectId, rule.ruleId, end, by));
}

/** `checkAlert()` looks into it. */
const Body = z.looseObject({});

/**
 * Reads an alert out of a body.
 *
 * @param former what holds where the body says nothing; null: it must say everything that has no default
 * @throws {ApiError} 400 that names each wrong field by its path
 * @throws {Refusal} 413 for a body over 100 kB
 */
export async function readAlert(req: Request, former: AlertInput | null): Promise<AlertInput> {
  const body = await readJson(req, Body);
  const checked = checkAlert({ ...former, ...body });
  if (checked.ok) return checked.input;
  const problems: Record<string, string[]> = {};
  for (const { field, message } of checked.problems) {
    (problems[field === "" ? "non_field_errors" : field] ??= []).push(message);
  }
  throw ApiError.fields(problems);
}
