/** What became of alerts elsewhere, as an import brings it: it moves no state and tells nobody. */
import type { Sql } from "../store/database.ts";
import { type Columns, incoming } from "../store/write_rows.ts";
import { type AlertTransition, groupId } from "./rule.ts";

export const ALERT_STATUSES = ["ok", "pending", "firing", "no_data"] as const;
export const ALERT_LEVELS = ["warning", "critical"] as const;
export const NOTICE_OUTCOMES = [
  "sent",
  "muted",
  "schedule",
  "flapping",
  "no_channel",
  "none",
] as const;

interface Placed extends AlertTransition {
  /** Entries of one moment stay in their order. */
  readonly place: number;
}

const COLUMNS: Columns<Placed> = {
  place: ["integer", ({ place }) => place],
  rule_id: ["uuid", ({ ruleId }) => ruleId],
  at: ["timestamptz", ({ at }) => at],
  group: ["text", ({ group }) => group],
  from_status: ["text", ({ from }) => from],
  to_status: ["text", ({ to }) => to],
  level: ["text", ({ level }) => level],
  value: ["double precision", ({ value }) => value],
  notice: ["text", ({ notice }) => notice],
};

/** Keeps entries of rules of the project; what is there word for word is not kept again. @returns how many are new */
export async function keepPastHistory(
  sql: Sql,
  projectId: string,
  entries: readonly AlertTransition[],
): Promise<number> {
  const distinct = new Map(entries.map((entry) => [JSON.stringify(entry), entry]));
  const rows = [...distinct.values()].map((entry, place) => ({ ...entry, place }));
  if (rows.length === 0) return 0;
  const known = await sql<{ place: number }[]>`
    select distinct place from ${incoming(sql, rows, COLUMNS)}
    join alert_history as known
      on known.project_id = ${projectId} and known.rule_id = incoming.rule_id
      and known."at" = incoming."at" and known."group" = incoming."group"
      and known.from_status = incoming.from_status and known.to_status = incoming.to_status
      and known.level is not distinct from incoming.level
      and known.value is not distinct from incoming.value and known.notice = incoming.notice
  `;
  const places = new Set(known.map(({ place }) => place));
  const fresh = rows.filter(({ place }) => !places.has(place));
  if (fresh.length === 0) return 0;
  await sql`
    insert into alert_history (
      project_id, rule_id, "at", "group", from_status, to_status, level, value, notice
    )
    select ${projectId}::bigint, rule_id, "at", "group", from_status, to_status, level, value, notice
    from ${incoming(sql, fresh, COLUMNS)} order by place
  `;
  return fresh.length;
}

/**
 * Ends what went on elsewhere when it was exported, unless it goes on here, or it is known here how it went on.
 *
 * @param ends each from the status that went on, at the time of the export
 * @returns how many ended
 */
export async function endPastHistory(
  sql: Sql,
  projectId: string,
  ends: readonly AlertTransition[],
): Promise<number> {
  let ended = 0;
  for (const end of ends) {
    const { ruleId, group, at, from } = end;
    const of = sql`
      project_id = ${projectId} and rule_id = ${ruleId} and "group" = ${group}
    `;
    const [known] = await sql<{ last: string | null; next: string | null; isOn: boolean }[]>`
      select
        (
          select to_status from alert_history where ${of} and "at" <= ${at}
          order by "at" desc, entry_id desc limit 1
        ) as last,
        (
          select from_status from alert_history where ${of} and "at" > ${at}
          order by "at", entry_id limit 1
        ) as next,
        exists (
          select from alert_states
          where project_id = ${projectId} and rule_id = ${ruleId} and group_id = ${groupId(group)}
            and status <> 'ok' and since <= ${at}
        ) as "isOn"
    `;
    const isOpen = known?.last === from && !known.isOn && (known.next ?? "ok") === "ok";
    if (isOpen) ended += await keepPastHistory(sql, projectId, [end]);
  }
  return ended;
}
