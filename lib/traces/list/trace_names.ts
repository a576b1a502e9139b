/** Which names the transactions have that are searched for: the series that count them know that. */
import type postgres from "postgres";
import type { Queryable } from "../../store/database.ts";
import { dayOf } from "../../store/scope_filter.ts";
import { SERIES_KINDS } from "../../store/stats/series.ts";
import { storable } from "../../core/storable.ts";
import { partOfName, type TextColumn, textPattern, type TraceSelection } from "./trace_terms.ts";

/** So many names can be looked up one by one. */
const MAX_NAMES = 200;

/** What series of transactions tell of them, by the columns of series. */
const TEXTS: Partial<Readonly<Record<TextColumn, (sql: Queryable) => postgres.Fragment>>> = {
  name: (sql) => sql`name`,
  op: (sql) => sql`op`,
  environment: (sql) => sql`environment`,
  release: (sql) => sql`release`,
  httpMethod: (sql) => sql`http_method`,
  // Compared as in transactions, whose column has the database's collation.
  route: (sql) => sql`route collate "default"`,
};

/** Whether a search asks for what series of transactions tell. */
export function tellsOfNames({ words, terms }: TraceSelection): boolean {
  return words.length > 0 || terms.some((term) =>
    term.kind === "text" && !term.isNegated &&
    (term.column === "service" || TEXTS[term.column] !== undefined)
  );
}

/**
 * The names that transactions may have which match, as far as they are counted.
 *
 * @returns null when there are many, or when the search does not ask for what series tell
 */
export async function findNames(
  tx: postgres.TransactionSql,
  selection: TraceSelection,
): Promise<string[] | null> {
  if (!tellsOfNames(selection)) return null;
  const conditions = seriesConditions(tx, selection);
  const { projectId, services, start } = selection;
  const rows = await tx<{ name: string }[]>`
    select distinct name from stat_series
    where project_id = ${projectId} and kind = ${kindFor(selection)}
      and seen_on >= ${dayOf(start)}::text::date
      ${services.length === 0 ? tx`` : tx`and service = any (${services.map(storable)}::text[])`}
      ${conditions.reduce((all, each) => tx`${all} and ${each}`, tx``)}
    limit ${MAX_NAMES + 1}
  `;
  return rows.length > MAX_NAMES ? null : rows.map(({ name }) => name);
}

/** What follows for the series of a transaction that matches. */
function seriesConditions(
  sql: Queryable,
  { words, terms }: TraceSelection,
): postgres.Fragment[] {
  return [
    ...words.map((word) => partOfName(sql, word)),
    ...terms.flatMap((term) => {
      if (term.kind !== "text" || term.isNegated) return [];
      const { column, value } = term;
      // Without a service, pages name the platform, which series do not know.
      if (column === "service") {
        return sql`(service = '' or service ilike ${textPattern(value)})`;
      }
      const text = TEXTS[column];
      return text === undefined ? [] : sql`${text(sql)} ilike ${textPattern(value)}`;
    }),
  ];
}

/** Series of all environments and releases together are fewer. */
function kindFor({ terms }: TraceSelection): number {
  const isApart = terms.some((term) =>
    term.kind === "text" && !term.isNegated &&
    (term.column === "environment" || term.column === "release")
  );
  return isApart ? SERIES_KINDS.transaction : SERIES_KINDS.transaction_whole;
}
