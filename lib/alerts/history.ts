import { type CursorPage, cutPage, isId, isIsoTime, readCursor } from "../store/cursor.ts";
import type { Queryable, Sql } from "../store/database.ts";
import type postgres from "postgres";
import type { AlertTransition } from "./rule.ts";

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
  const isBackwards = cursor?.direction === "previous";
  const beyond = cursor === null
    ? sql``
    : isBackwards
    ? sql`and ("at", entry_id) > (${cursor.value}::text::timestamptz, ${cursor.id}::bigint)`
    : sql`and ("at", entry_id) < (${cursor.value}::text::timestamptz, ${cursor.id}::bigint)`;
  const rows = await sql<(AlertTransition & { entryId: string })[]>`
    select ${historyColumns(sql)}, entry_id as "entryId" from alert_history
    where project_id = ${projectId} and rule_id = ${ruleId} ${beyond}
    order by ${isBackwards ? sql`"at", entry_id` : sql`"at" desc, entry_id desc`}
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
