import type postgres from "postgres";
import type { Queryable, Sql } from "../store/database.ts";
import type { AlertState, AlertStatus } from "./rule.ts";

/** How a rule stands as a whole: the worst of its groups. */
export interface RuleSummary {
  readonly worst: AlertState;
  /** Groups by status. */
  readonly counts: Readonly<Record<AlertStatus, number>>;
}

/** The states of a rule's groups, the worst first; none as long as it has not been judged. */
export async function statesOf(
  sql: Sql,
  projectId: string,
  ruleId: string,
): Promise<AlertState[]> {
  return await sql<AlertState[]>`
    select ${stateColumns(sql)}
    from alert_states as states join alert_rules as rules using (project_id, rule_id)
    where project_id = ${projectId} and rule_id = ${ruleId}
    order by ${badness(sql)} desc, since desc, "group"
  `;
}

/** How each rule of a project stands, by id; rules that have not been judged are absent. */
export async function summariesOf(
  sql: Sql,
  projectId: string,
): Promise<Map<string, RuleSummary>> {
  const rows = await sql<(AlertState & Record<AlertStatus, number>)[]>`
    select distinct on (rule_id) ${stateColumns(sql)},
      count(*) filter (where status = 'ok') over each::int as ok,
      count(*) filter (where status = 'pending') over each::int as pending,
      count(*) filter (where status = 'firing') over each::int as firing,
      count(*) filter (where status = 'no_data') over each::int as no_data
    from alert_states as states join alert_rules as rules using (project_id, rule_id)
    where project_id = ${projectId}
    window each as (partition by rule_id)
    order by rule_id, ${badness(sql)} desc, since desc, "group"
  `;
  return new Map(rows.map(({ ok, pending, firing, no_data, ...worst }) => [
    worst.ruleId,
    { worst, counts: { ok, pending, firing, no_data } },
  ]));
}

function badness(sql: Queryable): postgres.Fragment {
  return sql`
    case
      when status = 'firing' and level = 'critical' then 4
      when status = 'firing' then 3
      when status = 'no_data' then 2
      when status = 'pending' then 1
      else 0
    end
  `;
}

function stateColumns(sql: Queryable): postgres.Fragment {
  return sql`
    rule_id::text as "ruleId",
    states."group",
    states.status,
    states.level,
    states.value,
    states.since,
    coalesce(rules.evaluated_until, states.changed_at) as "evaluatedAt"
  `;
}
