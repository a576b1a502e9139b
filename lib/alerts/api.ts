import { z } from "zod";
import { requireProject } from "../api/access.ts";
import { type ApiContext, ApiError, behind, notFound } from "../api/route.ts";
import { isOfCalendar } from "../core/time.ts";
import { checkAlert } from "./check_input.ts";
import type { AlertInput, AlertState, AlertTransition } from "./rule.ts";
import { findRule, type StoredRule, TooManyRules, UnknownChannel } from "./rules.ts";
import { type AlertSummary, NOT_JUDGED, summariesOf } from "./states.ts";

/** Methods about the alert in the address. */
export const onAlert = behind(async (ctx, scope) => {
  const { project } = await requireProject(ctx, scope);
  const rule = await findRule(ctx.state.services.sql, project.id, ctx.params.alert ?? "");
  if (rule === null) throw notFound();
  return { project, rule };
});

/**
 * An alert as the answer to a request.
 *
 * @param rule null when somebody deleted it a moment ago
 * @throws {ApiError} 404 then
 */
export async function alertReply(ctx: ApiContext, rule: StoredRule | null) {
  if (rule === null) throw notFound();
  const summaries = await summariesOf(ctx.state.services.sql, rule.projectId);
  return alertJson(rule, summaries.get(rule.ruleId));
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

/**
 * An alert as the API shows it.
 *
 * @param summary of its groups; absent before the first evaluation
 */
export function alertJson(rule: StoredRule, { worst, counts }: AlertSummary = NOT_JUDGED) {
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
    status: worst?.status ?? null,
    level: worst?.level ?? null,
    groups: counts,
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
export function transitionJson({ group, at, from, to, level, value, notice }: AlertTransition) {
  return { group, at, from, to, level, value, notice };
}

const YEAR_MINUTES = 366 * 1_440;

export const Mute = z.object({
  until: z.iso.datetime({ offset: true, error: "Write a time as 2026-11-30T18:00:00Z." })
    .refine((time) => isOfCalendar(Date.parse(time)), "Write a year from 1 to 9999.").nullish(),
  minutes: z.number({ error: "Write a number of minutes." }).positive({
    error: "Write a number of minutes.",
  }).max(YEAR_MINUTES, { error: "At most a year." }).nullish(),
});

/** `checkAlert()` looks into it. */
export const AlertBody = z.looseObject({}).describe(
  "An alert, as an answer has it; what is absent stays as it is, or has its default",
);

/**
 * Reads an alert out of a body.
 *
 * @param former what holds where the body says nothing; null: it must say everything that has no default
 * @throws {ApiError} 400 that names each wrong field by its path
 */
export function readAlert(
  body: z.output<typeof AlertBody>,
  former: AlertInput | null,
): AlertInput {
  const checked = checkAlert({ ...former, ...body });
  if (checked.ok) return checked.input;
  const problems: Record<string, string[]> = {};
  for (const { field, message } of checked.problems) {
    (problems[field === "" ? "non_field_errors" : field] ??= []).push(message);
  }
  throw ApiError.fields(problems);
}
