/** Finds traces by rare values in indexes: else a search for them reads every transaction of the time. */
import type postgres from "postgres";
import type { Queryable, Sql } from "../../store/database.ts";
import { type Cursor, withinTime } from "../../store/query_limits.ts";
import { foldForReading } from "../../store/stats/fold_stats.ts";
import { beyondCursor, fromCursor, latestColumns, type LatestEntry } from "./latest_entry.ts";
import {
  findNames,
  indexConditions,
  matching,
  tellsOfNames,
  type TraceSelection,
} from "./trace_terms.ts";

interface RarePage {
  readonly cursor: Cursor | null;
  /** How many entries are enough. */
  readonly limit: number;
  readonly timeoutMs: number;
}

/** More entries than this are not rare: reading along time finds a page of them sooner. */
const MAX_ENTRIES = 2_000;
/** Counts of the newest transactions, and so their names, may not be added up yet. */
const FRESH_MS = 5 * 60_000;

/**
 * The latest matching entries of traces beyond the cursor, if few entries match in all of the time.
 *
 * @returns null when there may be many, or when no index helps
 * @throws {QueryTooSlow} when it takes too long
 */
export async function findRare(
  sql: Sql,
  selection: TraceSelection,
  page: RarePage,
): Promise<LatestEntry[] | null> {
  const conditions = indexConditions(sql, selection.terms);
  if (tellsOfNames(selection)) await foldForReading(sql);
  else if (conditions.length === 0) return null;
  return await withinTime(sql, page.timeoutMs, async (tx) => {
    const names = await findNames(tx, selection);
    if (names === null && conditions.length === 0) return null;
    // A plan for any names would read along time.
    await tx`select set_config('plan_cache_mode', 'force_custom_plan', true)`;
    return await readRare(tx, entriesOf(tx, selection, names, conditions), page);
  });
}

/** All entries that match. */
function entriesOf(
  sql: Queryable,
  selection: TraceSelection,
  names: readonly string[] | null,
  conditions: readonly postgres.Fragment[],
): postgres.Fragment {
  const entries = (part: TraceSelection, more: postgres.Fragment) =>
    sql`
      select trace_id, "timestamp", event_id from transactions
      where ${matching(sql, part)} ${more}
        ${conditions.reduce((all, each) => sql`${all} and ${each}`, sql``)}
    `;
  if (names === null) return entries(selection, sql``);
  const fresh = new Date(Math.max(selection.start.getTime(), Date.now() - FRESH_MS));
  if (fresh >= selection.end) return entries(selection, sql`and name = any (${names}::text[])`);
  return sql`
    ${entries({ ...selection, end: fresh }, sql`and name = any (${names}::text[])`)}
    union all
    ${entries({ ...selection, start: fresh }, sql``)}
  `;
}

async function readRare(
  tx: postgres.TransactionSql,
  entries: postgres.Fragment,
  { cursor, limit }: RarePage,
): Promise<LatestEntry[] | null> {
  // The limit stands outside: with it, Postgres would hope to find enough by reading along time.
  const rows = await tx<(LatestEntry & { total: number })[]>`
    with matching as materialized (${entries}),
    few as materialized (select * from matching limit ${MAX_ENTRIES + 1}),
    latest as (
      select distinct on (trace_id) * from few order by trace_id, "timestamp" desc, event_id desc
    ),
    page as (
      select * from latest where ${beyondCursor(tx, cursor)} ${fromCursor(tx, cursor)}
      limit ${limit}
    )
    select ${latestColumns(tx)}, total
    from (select count(*)::int as total from few) as counted left join page on true
    ${fromCursor(tx, cursor)}
  `;
  if ((rows[0]?.total ?? 0) > MAX_ENTRIES) return null;
  return rows.filter(({ traceId }) => traceId !== null);
}
