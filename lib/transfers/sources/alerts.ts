/** What became of alerts, in the words of the API; behind that, which of them fire still. */
import { type AlertTransition, isOfIssues, listRules } from "../../alerts/mod.ts";
import type { Sql } from "../../store/database.ts";
import { ALERT_ENTRY } from "../histories/alert_lines.ts";
import { issueNames, ownerNames } from "../histories/owners.ts";
import { type Batch, type ExportSource, linesOf, type Range } from "./source.ts";

const ROWS = 2_000;

/** Cursor: whether the histories are done, and the key of the last row. */
export const alerts: ExportSource = {
  name: "alerts",
  async next({ sql }, range, cursor) {
    const [isOfStates, key]: [boolean, readonly string[] | null] = JSON.parse(
      cursor ?? "[false,null]",
    );
    return isOfStates ? await going(sql, range, key) : await entries(sql, range, key);
  },
};

type EntryRow = AlertTransition & { readonly time: string; readonly entryId: string };

async function entries(
  sql: Sql,
  { projectId, since, until }: Range,
  key: readonly string[] | null,
): Promise<Batch> {
  const [ruleId = "", time = "", entryId = ""] = key ?? [];
  const rows = await sql<EntryRow[]>`
    select rule_id::text as "ruleId", "at"::text as time, entry_id::text as "entryId", "group", "at",
      from_status as "from", to_status as "to", level, value, notice
    from alert_history
    where project_id = ${projectId} and "at" >= ${since} and "at" < ${until}
      ${
    key === null ? sql`` : sql`
      and (rule_id, "at", entry_id) > (${ruleId}::uuid, ${time}::text::timestamptz, ${entryId}::bigint)
    `
  }
    order by rule_id, "at", entry_id limit ${ROWS}
  `;
  const last = rows.at(-1);
  const isLast = last === undefined || rows.length < ROWS;
  const lines = await linesOfEntries(sql, projectId, rows);
  return {
    cursor: JSON.stringify(isLast ? [true, null] : [false, [last.ruleId, last.time, last.entryId]]),
    counts: { alert_history: lines.length },
    pieces: linesOf("alerts.jsonl", lines),
  };
}

interface StateRow {
  readonly ruleId: string;
  readonly groupId: string;
  readonly group: string;
  readonly status: AlertTransition["from"];
}

/** An entry for what has not ended: elsewhere nobody would end it. */
async function going(
  sql: Sql,
  { projectId, until }: Range,
  key: readonly string[] | null,
): Promise<Batch> {
  const [ruleId = "", groupId = ""] = key ?? [];
  const rows = await sql<StateRow[]>`
    select rule_id::text as "ruleId", group_id::text as "groupId", "group", status from alert_states
    where project_id = ${projectId} and status <> 'ok' and since < ${until}
      ${key === null ? sql`` : sql`and (rule_id, group_id) > (${ruleId}::uuid, ${groupId}::uuid)`}
    order by rule_id, group_id limit ${ROWS}
  `;
  const last = rows.at(-1);
  const ends = rows.map(({ ruleId, group, status }): Entry => ({
    ruleId,
    group,
    at: until,
    from: status,
    to: "ok",
    level: null,
    value: null,
    notice: "none",
    goesOn: true,
  }));
  return {
    cursor: last !== undefined && rows.length === ROWS
      ? JSON.stringify([true, [last.ruleId, last.groupId]])
      : null,
    counts: {},
    pieces: linesOf("alerts.jsonl", await linesOfEntries(sql, projectId, ends)),
  };
}

/** An entry, or the end of one that nobody has seen. */
type Entry = AlertTransition & { readonly goesOn?: true };

function valuesOf({ group, at, from, to, level, value, notice, goesOn }: Entry) {
  return { group, at, from, to, level, value, notice, ...(goesOn && { goesOn }) };
}

/** Groups of rules about issues are issues, which have other ids elsewhere. */
async function linesOfEntries(
  sql: Sql,
  projectId: string,
  rows: readonly Entry[],
): Promise<object[]> {
  if (rows.length === 0) return [];
  const rules = await listRules(sql, projectId);
  const names = ownerNames(rules.map(({ ruleId, name }) => ({ id: ruleId, name })));
  const ofIssues = new Set(rules.filter(isOfIssues).map(({ ruleId }) => ruleId));
  const groups = rows.flatMap(({ ruleId, group }) => ofIssues.has(ruleId) ? group : []);
  const issues = await issueNames(sql, projectId, groups);
  return rows.flatMap((row) => {
    const alert = names.get(row.ruleId);
    if (alert === undefined) return [];
    const issue = ofIssues.has(row.ruleId) ? { issue: issues.get(row.group) ?? null } : {};
    return [{ type: ALERT_ENTRY, alert, ...valuesOf(row), ...issue }];
  });
}
