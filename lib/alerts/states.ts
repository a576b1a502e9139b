import type postgres from "postgres";
import {
  type CursorPage,
  cutPage,
  isId,
  isIsoTime,
  keyset,
  readCursor,
} from "../store/query_limits.ts";
import type { Queryable, Sql } from "../store/database.ts";
import type { AlertRule, AlertState, AlertStatus, AlertTransition } from "./rule.ts";

/** How a rule stands as a whole. */
export interface AlertSummary {
  /** The state that matters most; null before the first evaluation. */
  readonly worst: AlertState | null;
  /** Groups by status. */
  readonly counts: Readonly<Record<AlertStatus, number>>;
}

/** What the groups of a rule come to that has not been judged yet. */
export const NOT_JUDGED: AlertSummary = {
  worst: null,
  counts: { ok: 0, pending: 0, firing: 0, no_data: 0 },
};

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
): Promise<Map<string, AlertSummary>> {
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

export type HistoryPage = CursorPage<AlertTransition>;

interface HistoryQuery {
  readonly cursor: string | null;
  readonly limit: number;
}

/** More than a chart can mark. */
const MOST_BETWEEN = 1_000;

/**
 * What happened to a rule, the latest first. An entry from a status to the same one says that channels were told later
 * what had been held back, or that the level changed.
 */
export async function historyOf(
  sql: Sql,
  projectId: string,
  ruleId: string,
  query: HistoryQuery,
): Promise<HistoryPage> {
  const cursor = readCursor(query.cursor, (value, id) => isIsoTime(value) && isId(id));
  const { beyond, order } = keyset(
    sql,
    cursor,
    [sql`"at"`, sql`entry_id`],
    ({ value, id }) => sql`${value}::text::timestamptz, ${id}::bigint`,
  );
  const rows = await sql<(AlertTransition & { entryId: string })[]>`
    select ${historyColumns(sql)}, entry_id as "entryId" from alert_history
    where project_id = ${projectId} and rule_id = ${ruleId} ${beyond}
    order by ${order}
    limit ${query.limit + 1}
  `;
  const page = cutPage(rows, query.limit, cursor, ({ at, entryId }) => ({
    value: at.toISOString(),
    id: entryId,
  }));
  return { ...page, rows: page.rows.map(({ entryId: _, ...transition }) => transition) };
}

/** What happened to a rule within a stretch of time, the earliest first; the last thousand entries of it. */
export async function historyBetween(
  sql: Sql,
  projectId: string,
  ruleId: string,
  { start, end }: { readonly start: Date; readonly end: Date },
): Promise<AlertTransition[]> {
  const rows = await sql<AlertTransition[]>`
    select ${historyColumns(sql)} from alert_history
    where project_id = ${projectId} and rule_id = ${ruleId} and "at" >= ${start} and "at" < ${end}
    order by "at" desc, entry_id desc
    limit ${MOST_BETWEEN}
  `;
  return rows.toReversed();
}

function historyColumns(sql: Queryable): postgres.Fragment {
  return sql`
    rule_id::text as "ruleId",
    "group",
    "at",
    from_status as "from",
    to_status as "to",
    level,
    value,
    notice
  `;
}

/** What the list can be narrowed to; each alert is in exactly one beside `all`. */
export const LIST_FILTERS = ["all", "firing", "pending", "no_data", "ok", "muted", "off"] as const;
export type ListFilter = (typeof LIST_FILTERS)[number];

const RANKS: Readonly<Record<AlertStatus, number>> = { firing: 3, no_data: 2, pending: 1, ok: 0 };

/** What the groups of a rule come to, the worst first. */
export function summaryOfStates(states: readonly AlertState[]): AlertSummary {
  const counts = { ...NOT_JUDGED.counts };
  for (const { status } of states) counts[status] += 1;
  return { worst: states[0] ?? null, counts };
}

/** The worst first: by status, then level, then the latest change. */
export function compareSummaries({ worst: a }: AlertSummary, { worst: b }: AlertSummary): number {
  const [one, other] = [a?.status ?? "ok", b?.status ?? "ok"];
  if (one !== other) return RANKS[other] - RANKS[one];
  if (a === null || b === null || one === "ok") return 0;
  return Number(b.level === "critical") - Number(a.level === "critical") ||
    b.since.getTime() - a.since.getTime();
}

/** Whether nobody is told of an alert at this moment. */
export function isMuted({ mutedUntil }: Pick<AlertRule, "mutedUntil">, now: Date): boolean {
  return mutedUntil !== null && mutedUntil > now;
}

/** Where in the list an alert belongs. What is muted is so whatever its state: it is not what needs a hand. */
export function filterOf(
  rule: Pick<AlertRule, "mutedUntil" | "isEnabled">,
  { worst }: AlertSummary,
  now: Date,
): Exclude<ListFilter, "all"> {
  if (!rule.isEnabled) return "off";
  if (isMuted(rule, now)) return "muted";
  return worst?.status ?? "ok";
}
