/** The alert rules of projects, as people make and change them. */
import type postgres from "postgres";
import { t } from "../core/language/translate.ts";
import { storable } from "../core/errors.ts";
import { findMetrics, meantMetric, type MetricQuery } from "../metrics/mod.ts";
import { auditChange, type AuditedKind, inTransaction } from "../store/audit.ts";
import type { Queryable, Sql } from "../store/database.ts";
import { isChannelId } from "./channels/channels.ts";
import type { AlertInput, AlertRule } from "./rule.ts";

/** More than anybody looks after; all of them are judged twice a minute. */
const MAX_RULES = 2_000;

/** A project has as many rules as it may have. */
export class TooManyRules extends Error {
  override name = "TooManyRules";

  constructor() {
    super(
      t(
        "A project has at most {n} alert rule. Delete one that nobody needs.|A project has at most {n} alert rules. Delete one that nobody needs.",
        { n: MAX_RULES },
      ),
    );
  }
}

/** A rule names a channel that its project does not have. */
export class UnknownChannel extends Error {
  override name = "UnknownChannel";

  constructor(
    /** Place in the list of channels, from 0. */
    readonly place: number,
  ) {
    super(t("There is no such channel in this project."));
  }
}

/** The rules of a project by name. */
export async function listRules(sql: Sql, projectId: string): Promise<StoredRule[]> {
  const rows = await sql<RuleRow[]>`
    select ${ruleColumns(sql)} from alert_rules
    where project_id = ${projectId} and deleted_at is null
    order by lower(name), created_at, rule_id
  `;
  return rows.map(toRule);
}

/** A rule of a project, or null; also for what is no id at all. */
export async function findRule(
  sql: Sql,
  projectId: string,
  ruleId: string,
): Promise<StoredRule | null> {
  if (!isRuleId(ruleId)) return null;
  const [row] = await sql<RuleRow[]>`
    select ${ruleColumns(sql)} from alert_rules
    where project_id = ${projectId} and rule_id = ${ruleId} and deleted_at is null
  `;
  return row === undefined ? null : toRule(row);
}

/**
 * Makes a rule; it is judged for the first time within half a minute.
 *
 * @param input as `checkAlert()` answers it
 * @param by e-mail address of whoever makes it
 * @throws {TooManyRules}
 * @throws {UnknownChannel}
 */
export async function createRule(
  sql: Sql,
  projectId: string,
  input: AlertInput,
  by: string,
  now: Date = new Date(),
): Promise<StoredRule> {
  await refuseUnknownChannels(sql, projectId, input.channelIds);
  return await inTransaction(sql, async (tx) => {
    const rule = await insertRule(tx, projectId, input, by, now);
    await auditChange(tx, "alertrule.create", AUDITED, null, rule);
    return rule;
  });
}

const AUDITED: AuditedKind<AlertRule> = {
  kind: "alert-rule",
  of: ({ projectId, ruleId, name }) => ({ projectId, id: ruleId, label: name }),
  shown: inputOf,
};

/** What people set, and nothing of what evaluating it has brought about. */
export function inputOf(rule: AlertInput): AlertInput {
  const { name, mutedUntil, isEnabled, source, environments, condition, windowMinutes } = rule;
  const { forMinutes, noData, channelIds, schedule } = rule;
  return {
    name,
    mutedUntil,
    isEnabled,
    source,
    environments,
    condition,
    windowMinutes,
    forMinutes,
    noData,
    channelIds,
    schedule,
  };
}

async function insertRule(
  sql: Queryable,
  projectId: string,
  input: AlertInput,
  by: string,
  now: Date,
): Promise<StoredRule> {
  const [row] = await sql<RuleRow[]>`
    insert into alert_rules (
      project_id, rule_id, name, definition, is_enabled, muted_until, created_at, updated_at,
      updated_by, active_since
    )
    select
      ${projectId}, ${crypto.randomUUID()}::uuid, ${input.name}::text,
      ${definitionOf(input)}::text::jsonb, ${input.isEnabled}::boolean,
      ${input.mutedUntil}::timestamptz, ${now}::timestamptz, ${now}::timestamptz,
      ${storable(by)}::text, ${now}::timestamptz
    where ${MAX_RULES} > (
      select count(*) from alert_rules where project_id = ${projectId} and deleted_at is null
    )
    returning ${ruleColumns(sql)}
  `;
  if (row === undefined) throw new TooManyRules();
  return toRule(row);
}

/**
 * Changes a rule. States go on where they were: what no longer holds is resolved by the next evaluation. A rule that
 * watches something else, or is enabled again, starts anew.
 *
 * @returns the changed rule, or null when there is none
 * @throws {UnknownChannel}
 */
export async function updateRule(
  sql: Sql,
  projectId: string,
  ruleId: string,
  input: AlertInput,
  by: string,
  now: Date = new Date(),
): Promise<StoredRule | null> {
  if (!isRuleId(ruleId)) return null;
  await refuseUnknownChannels(sql, projectId, input.channelIds);
  const definition = definitionOf(input);
  const isOther = sql`
    ${input.isEnabled} and not is_enabled
    or definition->'source' is distinct from ${definition}::text::jsonb->'source'
  `;
  const changes = sql`
    name = ${input.name},
    definition = ${definition}::text::jsonb,
    is_enabled = ${input.isEnabled},
    muted_until = ${input.mutedUntil},
    updated_at = ${now},
    updated_by = ${storable(by)},
    last_error = '',
    ${beginningAnew(sql, isOther, now)}
  `;
  return await changeRule(sql, projectId, ruleId, changes);
}

/**
 * Holds the notices of a rule back.
 *
 * @param until null: no longer
 * @returns the changed rule, or null when there is none
 */
export async function muteRule(
  sql: Sql,
  projectId: string,
  ruleId: string,
  until: Date | null,
  by: string,
): Promise<StoredRule | null> {
  const changes = sql`muted_until = ${until}, updated_at = now(), updated_by = ${storable(by)}`;
  const event = until === null ? "alertrule.unmute" : "alertrule.mute";
  return await changeRule(sql, projectId, ruleId, changes, event);
}

/** Has a rule judged, or no longer: what it has told of is then resolved. Null when there is none. */
export async function enableRule(
  sql: Sql,
  projectId: string,
  ruleId: string,
  isEnabled: boolean,
  by: string,
): Promise<StoredRule | null> {
  const changes = sql`
    is_enabled = ${isEnabled}, updated_at = now(), updated_by = ${storable(by)}, last_error = '',
    ${beginningAnew(sql, sql`${isEnabled} and not is_enabled`, new Date())}
  `;
  return await changeRule(sql, projectId, ruleId, changes);
}

/** Has a rule begin anew where that is so: what was before is not judged. */
function beginningAnew(
  sql: Sql,
  isSo: postgres.Fragment,
  now: Date,
): postgres.Fragment {
  return sql`
    active_since = case when ${isSo} then ${now}::timestamptz else active_since end,
    evaluated_until = case when ${isSo} then null else evaluated_until end
  `;
}

/**
 * Deletes a rule with its states and its history. Channels that were told of something hear that it is over.
 *
 * @returns false when there is none
 */
export async function deleteRule(sql: Sql, projectId: string, ruleId: string): Promise<boolean> {
  if (!isRuleId(ruleId)) return false;
  const changes = sql`deleted_at = now()`;
  return await changeRule(sql, projectId, ruleId, changes, "alertrule.remove") !== null;
}

/** Null when there is no such rule. */
async function changeRule(
  sql: Sql,
  projectId: string,
  ruleId: string,
  assignments: postgres.Fragment,
  event = "alertrule.edit",
): Promise<StoredRule | null> {
  if (!isRuleId(ruleId)) return null;
  return await inTransaction(sql, async (tx) => {
    const which = tx`project_id = ${projectId} and rule_id = ${ruleId} and deleted_at is null`;
    const [before] = await tx<RuleRow[]>`
      select ${ruleColumns(tx)} from alert_rules where ${which} for update
    `;
    const [row] = await tx<RuleRow[]>`
      update alert_rules set ${assignments}, version = version + 1 where ${which}
      returning ${ruleColumns(tx)}
    `;
    if (before === undefined || row === undefined) return null;
    const rule = toRule(row);
    const isGone = event === "alertrule.remove";
    await auditChange(tx, event, AUDITED, toRule(before), isGone ? null : rule);
    return rule;
  });
}

/** Whoever saves a rule must not believe that it tells somebody whom it cannot tell. */
async function refuseUnknownChannels(
  sql: Sql,
  projectId: string,
  channelIds: readonly string[],
): Promise<void> {
  if (channelIds.length === 0) return;
  const rows = await sql<{ channelId: string }[]>`
    select channel_id as "channelId" from notification_channels
    where project_id = ${projectId}
      and channel_id = any (${channelIds.filter(isChannelId)}::uuid[])
  `;
  const known = new Set(rows.map(({ channelId }) => channelId));
  const place = channelIds.findIndex((channelId) => !known.has(channelId));
  if (place >= 0) throw new UnknownChannel(place);
}

function isRuleId(text: string): boolean {
  return /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);
}

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
function definitionOf(input: AlertInput): string {
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

/**
 * An alert that says of each metric which kind and unit it means, where that is known: a level holds in one unit, and
 * what comes in another later on must not be compared with it.
 */
export async function pinMetrics(
  sql: Sql,
  projectId: string,
  input: AlertInput,
): Promise<AlertInput> {
  const { source } = input;
  if (source.kind !== "metric") return input;
  const queries = await Promise.all(source.queries.map((query) => pinned(sql, projectId, query)));
  return { ...input, source: { ...source, queries } };
}

async function pinned(sql: Sql, projectId: string, query: MetricQuery): Promise<MetricQuery> {
  if (query.kind !== null && query.unit !== null) return query;
  const found = meantMetric(await findMetrics(sql, projectId, query.metric), query);
  return found === undefined ? query : { ...query, kind: found.kind, unit: found.unit };
}
