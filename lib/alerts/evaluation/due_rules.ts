/** What the evaluation of alerts reads: the rules of all projects, and how their groups stand. */
import type { Sql } from "../../store/database.ts";
import type { GroupState, Told } from "../group_state.ts";
import { ruleColumns, type RuleRow, type StoredRule, toRule } from "../rule_row.ts";

/**
 * The rules with a window to judge; those that have failed last come last, so that slow ones do not hold up the others.
 *
 * @param latest the end of the latest window
 */
export async function dueRules(sql: Sql, latest: Date): Promise<StoredRule[]> {
  const rows = await sql<RuleRow[]>`
    select ${ruleColumns(sql)} from alert_rules
    where is_enabled and deleted_at is null
      and (evaluated_until is null or evaluated_until < ${latest})
    order by last_error <> '', evaluated_until nulls first, project_id, rule_id
  `;
  return rows.map(toRule);
}

/** The rules that nobody wants to be judged any more, and that have something to end. */
export async function endedRules(sql: Sql): Promise<(StoredRule & { isDeleted: boolean })[]> {
  const rows = await sql<(RuleRow & { isDeleted: boolean })[]>`
    select ${ruleColumns(sql)}, deleted_at is not null as "isDeleted" from alert_rules as rules
    where deleted_at is not null or not is_enabled and exists (
      select from alert_states as states
      where states.project_id = rules.project_id and states.rule_id = rules.rule_id
    )
    order by project_id, rule_id
  `;
  return rows.map(({ isDeleted, ...row }) => ({ ...toRule(row), isDeleted }));
}

/** The groups of rules, by rule id. */
export async function groupsOf(
  sql: Sql,
  rules: readonly StoredRule[],
): Promise<Map<string, GroupState[]>> {
  const rows = await sql<(Omit<GroupState, "told"> & ToldColumns & { ruleId: string })[]>`
    select
      rule_id::text as "ruleId", "group", status, level, value, since, changed_at as "changedAt",
      seen_at as "seenAt", told_status as "toldStatus", told_level as "toldLevel",
      told_at as "toldAt", told_before as "toldBefore",
        critical_told_at as "criticalToldAt", is_flapping as "isFlapping"
    from alert_states
    where (project_id, rule_id) in (
      select * from unnest(
        ${rules.map(({ projectId }) => projectId)}::bigint[],
        ${rules.map(({ ruleId }) => ruleId)}::uuid[]
      )
    )
  `;
  const groups = new Map<string, GroupState[]>();
  for (const { ruleId, toldStatus, toldLevel, ...state } of rows) {
    const known = groups.get(ruleId) ?? [];
    known.push({ ...state, told: { status: toldStatus, level: toldLevel } });
    groups.set(ruleId, known);
  }
  return groups;
}

interface ToldColumns {
  readonly toldStatus: Told["status"];
  readonly toldLevel: Told["level"];
}

/** Removes a rule that was deleted, with all that is kept of it. */
export async function removeRule(
  sql: Sql,
  { projectId, ruleId }: Pick<StoredRule, "projectId" | "ruleId">,
): Promise<void> {
  await sql.begin(async (tx) => {
    for (const table of ["alert_states", "alert_history", "alert_rules"]) {
      await tx`delete from ${tx(table)} where project_id = ${projectId} and rule_id = ${ruleId}`;
    }
  });
}
