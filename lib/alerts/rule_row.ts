import type postgres from "postgres";
import type { Queryable } from "../store/database.ts";
import type { AlertInput, AlertRule } from "./rule.ts";

/** A rule with what evaluating it has brought about. */
export interface StoredRule extends AlertRule {
  /** Since when it watches what it watches. */
  readonly activeSince: Date;
  /** The end of the last window that was judged; null: none yet. */
  readonly evaluatedUntil: Date | null;
  /** Why the last evaluation failed, a sentence; `""` when it did not. */
  readonly lastError: string;
  /** When channels were told of it for the last time, or null. */
  readonly toldAt: Date | null;
  /** Raised by every change of a person. */
  readonly version: number;
}

/** What is kept as JSON: it is read whole and searched by nobody. */
type Definition = Omit<AlertInput, "name" | "mutedUntil" | "isEnabled">;

/** A row as it comes from {@linkcode ruleColumns}. */
export type RuleRow = Omit<StoredRule, keyof Definition> & { readonly definition: Definition };

/** The definition of a rule as JSON text. */
export function definitionOf(input: AlertInput): string {
  const { source, environments, condition, windowMinutes, forMinutes, noData } = input;
  const { channelIds, schedule } = input;
  const definition: Definition = {
    source,
    environments,
    condition,
    windowMinutes,
    forMinutes,
    noData,
    channelIds,
    schedule,
  };
  return JSON.stringify(definition);
}

/** Reads a row. */
export function toRule({ definition, ...columns }: RuleRow): StoredRule {
  return { ...columns, ...definition };
}

/** The columns of `alert_rules` that make a {@linkcode RuleRow}. */
export function ruleColumns(sql: Queryable): postgres.Fragment {
  return sql`
    project_id::text as "projectId",
    rule_id::text as "ruleId",
    name,
    definition,
    is_enabled as "isEnabled",
    muted_until as "mutedUntil",
    created_at as "createdAt",
    updated_at as "updatedAt",
    updated_by as "updatedBy",
    version,
    active_since as "activeSince",
    evaluated_until as "evaluatedUntil",
    last_error as "lastError",
    told_at as "toldAt"
  `;
}
