import type { AlertState, AlertTransition } from "./rule.ts";
import type { StoredRule } from "./rules.ts";
import type { RuleSummary } from "./states.ts";

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
export function transitionJson({ group, at, from, to, level, value, notice }: AlertTransition) {
  return { group, at, from, to, level, value, notice };
}
