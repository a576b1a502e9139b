/** The alert rules of projects, as people make and change them. */
import type { Sql } from "../store/database.ts";
import { isChannelId } from "./channels/channels.ts";
import { storable } from "../core/storable.ts";
import type { AlertInput } from "./rule.ts";
import { definitionOf, ruleColumns, type RuleRow, type StoredRule, toRule } from "./rule_row.ts";

export type { StoredRule } from "./rule_row.ts";

/** More than anybody looks after; all of them are judged twice a minute. */
export const MAX_RULES = 2_000;

/** A project has as many rules as it may have. */
export class TooManyRules extends Error {
  override name = "TooManyRules";

  constructor() {
    super(`A project has at most ${MAX_RULES} alerts. Delete one that nobody needs.`);
  }
}

/** A rule names a channel that its project does not have. */
export class UnknownChannel extends Error {
  override name = "UnknownChannel";

  constructor(
    /** Place in the list of channels, from 0. */
    readonly place: number,
  ) {
    super("There is no such channel in this project.");
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
  const [row] = await sql<RuleRow[]>`
    update alert_rules set
      name = ${input.name},
      definition = ${definition}::text::jsonb,
      is_enabled = ${input.isEnabled},
      muted_until = ${input.mutedUntil},
      updated_at = ${now},
      updated_by = ${storable(by)},
      version = version + 1,
      last_error = '',
      active_since = case
        when ${input.isEnabled} and not is_enabled
          or definition->'source' is distinct from ${definition}::text::jsonb->'source'
        then ${now} else active_since end,
      evaluated_until = case
        when ${input.isEnabled} and not is_enabled
          or definition->'source' is distinct from ${definition}::text::jsonb->'source'
        then null else evaluated_until end
    where project_id = ${projectId} and rule_id = ${ruleId} and deleted_at is null
    returning ${ruleColumns(sql)}
  `;
  return row === undefined ? null : toRule(row);
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
  if (!isRuleId(ruleId)) return null;
  const [row] = await sql<RuleRow[]>`
    update alert_rules set
      muted_until = ${until}, updated_at = now(), updated_by = ${
    storable(by)
  }, version = version + 1
    where project_id = ${projectId} and rule_id = ${ruleId} and deleted_at is null
    returning ${ruleColumns(sql)}
  `;
  return row === undefined ? null : toRule(row);
}

/** Has a rule judged, or no longer: what it has told of is then resolved. Null when there is none. */
export async function enableRule(
  sql: Sql,
  projectId: string,
  ruleId: string,
  isEnabled: boolean,
  by: string,
): Promise<StoredRule | null> {
  if (!isRuleId(ruleId)) return null;
  const [row] = await sql<RuleRow[]>`
    update alert_rules set
      is_enabled = ${isEnabled}, updated_at = now(), updated_by = ${storable(by)},
      version = version + 1, last_error = '',
      active_since = case when ${isEnabled} and not is_enabled then now() else active_since end,
      evaluated_until = case when ${isEnabled} and not is_enabled then null else evaluated_until end
    where project_id = ${projectId} and rule_id = ${ruleId} and deleted_at is null
    returning ${ruleColumns(sql)}
  `;
  return row === undefined ? null : toRule(row);
}

/**
 * Deletes a rule with its states and its history. Channels that were told of something hear that it is over.
 *
 * @returns false when there is none
 */
export async function deleteRule(sql: Sql, projectId: string, ruleId: string): Promise<boolean> {
  if (!isRuleId(ruleId)) return false;
  const { count } = await sql`
    update alert_rules set deleted_at = now(), version = version + 1
    where project_id = ${projectId} and rule_id = ${ruleId} and deleted_at is null
  `;
  return count > 0;
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
