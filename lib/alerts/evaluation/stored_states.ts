/** What the evaluation of alerts reads: the rules of all projects, and how their groups stand. */
import type { Sql, Transaction } from "../../store/database.ts";
import type { Notice } from "../channels/message.ts";
import { enqueueNotice } from "../deliveries/queue.ts";
import { type AlertTransition, groupId, type GroupState, type Told } from "../rule.ts";
import { ruleColumns, type RuleRow, type StoredRule, toRule } from "../rules.ts";

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

/** What judging a rule has come to. */
export interface Evaluation {
  /** As it was when it was judged. */
  readonly rule: StoredRule;
  /** The end of the last window that was judged. */
  readonly until: Date;
  /** Why it failed, a sentence, or `""`. */
  readonly error: string;
  readonly states: readonly GroupState[];
  /** Groups that are no more. */
  readonly gone: readonly string[];
  readonly history: readonly AlertTransition[];
  readonly notices: readonly Notice[];
  /** When channels were told, or null when they were not. */
  readonly toldAt: Date | null;
}

/**
 * Stores evaluations in one transaction, and has their notices sent. Those of rules that somebody else has judged or
 * changed meanwhile are passed over whole: nobody is told twice.
 */
export async function saveEvaluations(
  sql: Sql,
  evaluations: readonly Evaluation[],
): Promise<void> {
  if (evaluations.length === 0) return;
  await sql.begin(async (tx) => {
    const accepted = await advance(tx, evaluations);
    const kept = evaluations.filter(({ rule }) => accepted.has(keyOf(rule)));
    await saveStates(tx, kept);
    await deleteGone(tx, kept);
    await saveHistory(tx, kept);
    for (const { rule, notices } of kept) {
      for (const notice of notices) await enqueueNotice(tx, notice, rule.channelIds);
    }
  });
}

type RuleKey = Pick<StoredRule, "projectId" | "ruleId">;

function keyOf({ projectId, ruleId }: RuleKey): string {
  return `${projectId}/${ruleId}`;
}

/** Moves the rules on; only one evaluator can. */
async function advance(tx: Transaction, evaluations: readonly Evaluation[]): Promise<Set<string>> {
  const rows = evaluations.map(({ rule, until, error, toldAt }) => ({
    project_id: rule.projectId,
    rule_id: rule.ruleId,
    version: rule.version,
    before: rule.evaluatedUntil,
    until,
    error,
    told_at: toldAt,
  }));
  const advanced = await tx<RuleKey[]>`
    update alert_rules as rules set
      evaluated_until = judged.until,
      last_error = judged.error,
      told_at = coalesce(judged.told_at, rules.told_at)
    from jsonb_to_recordset(${JSON.stringify(rows)}::text::jsonb) as judged (
      project_id bigint, rule_id uuid, version integer, before timestamptz, until timestamptz,
      error text, told_at timestamptz
    )
    where rules.project_id = judged.project_id and rules.rule_id = judged.rule_id
      and rules.version = judged.version
      and rules.evaluated_until is not distinct from judged.before
    returning rules.project_id::text as "projectId", rules.rule_id::text as "ruleId"
  `;
  return new Set(advanced.map(keyOf));
}

async function saveStates(tx: Transaction, evaluations: readonly Evaluation[]): Promise<void> {
  const rows = evaluations.flatMap(({ rule, states }) =>
    states.map(({ told, ...state }) => ({
      ...state,
      projectId: rule.projectId,
      ruleId: rule.ruleId,
      groupId: groupId(state.group),
      toldStatus: told.status,
      toldLevel: told.level,
    }))
  );
  if (rows.length === 0) return;
  await tx`
    insert into alert_states as known (
      project_id, rule_id, group_id, "group", status, level, value, since, changed_at, seen_at,
      told_status, told_level, told_at, told_before, critical_told_at, is_flapping
    )
    select * from jsonb_to_recordset(${JSON.stringify(rows)}::text::jsonb) as judged (
      "projectId" bigint, "ruleId" uuid, "groupId" uuid, "group" text, status text, level text,
      value double precision, since timestamptz, "changedAt" timestamptz, "seenAt" timestamptz,
      "toldStatus" text, "toldLevel" text, "toldAt" timestamptz, "toldBefore" timestamptz,
      "criticalToldAt" timestamptz, "isFlapping" boolean
    )
    order by "projectId", "ruleId", "groupId"
    on conflict (project_id, rule_id, group_id) do update set
      status = excluded.status, level = excluded.level, value = excluded.value,
      since = excluded.since, changed_at = excluded.changed_at, seen_at = excluded.seen_at,
      told_status = excluded.told_status, told_level = excluded.told_level,
      told_at = excluded.told_at, told_before = excluded.told_before,
      critical_told_at = excluded.critical_told_at,
      is_flapping = excluded.is_flapping
  `;
}

async function deleteGone(tx: Transaction, evaluations: readonly Evaluation[]): Promise<void> {
  const rows = evaluations.flatMap(({ rule, gone }) =>
    gone.map((group) => ({
      project_id: rule.projectId,
      rule_id: rule.ruleId,
      group_id: groupId(group),
    }))
  );
  if (rows.length === 0) return;
  await tx`
    delete from alert_states as known
    using jsonb_to_recordset(${JSON.stringify(rows)}::text::jsonb) as gone (
      project_id bigint, rule_id uuid, group_id uuid
    )
    where known.project_id = gone.project_id and known.rule_id = gone.rule_id
      and known.group_id = gone.group_id
  `;
}

async function saveHistory(tx: Transaction, evaluations: readonly Evaluation[]): Promise<void> {
  const rows = evaluations.flatMap(({ rule, history }) =>
    history.map((entry) => ({ ...entry, projectId: rule.projectId }))
  ).map((entry, place) => ({ ...entry, place }));
  if (rows.length === 0) return;
  await tx`
    insert into alert_history (
      project_id, rule_id, "at", "group", from_status, to_status, level, value, notice
    )
    select "projectId", "ruleId", "at", "group", "from", "to", level, value, notice
    from jsonb_to_recordset(${JSON.stringify(rows)}::text::jsonb) as happened (
      "projectId" bigint, "ruleId" uuid, "at" timestamptz, "group" text, "from" text, "to" text,
      level text, value double precision, notice text, place integer
    )
    order by place
  `;
}
