import type { Sql } from "../store/database.ts";
import type { Category, OutcomeKind } from "../records/mod.ts";

/** How often something became of what was sent, in one hour. */
export interface OutcomeRow {
  /** Start of the hour of receipt. */
  readonly hour: Date;
  readonly category: Category;
  readonly kind: OutcomeKind;
  /** `""` for accepted. */
  readonly reason: string;
  readonly quantity: number;
}

/** How many items a project's filters dropped, by the reason that names the filter. */
export async function filteredByReason(
  sql: Sql,
  projectId: string,
  { start, end }: { readonly start: Date; readonly end: Date },
): Promise<ReadonlyMap<string, number>> {
  const rows = await sql<{ reason: string; quantity: string }[]>`
    select reason, sum(quantity) as quantity from outcomes
    where project_id = ${projectId} and hour >= ${start} and hour < ${end} and kind = 'filtered'
    group by reason
  `;
  return new Map(rows.map(({ reason, quantity }) => [reason, Number(quantity)]));
}

/**
 * What became of everything that a project was sent, by hour of receipt, oldest first.
 *
 * @param range hours that begin from `start` until before `end`
 */
export async function outcomesOf(
  sql: Sql,
  projectId: string,
  { start, end }: { readonly start: Date; readonly end: Date },
): Promise<OutcomeRow[]> {
  const rows = await sql<(Omit<OutcomeRow, "quantity"> & { quantity: string })[]>`
    select hour, category, kind, reason, quantity from outcomes
    where project_id = ${projectId} and hour >= ${start} and hour < ${end}
    order by hour, category, kind, reason
  `;
  return rows.map((row) => ({ ...row, quantity: Number(row.quantity) }));
}

/** Items of one category that were refused with whole requests. */
export interface TooLarge {
  readonly projectId: string;
  readonly category: Category;
  readonly quantity: number;
}

/** Items of requests that were over the limit of size, by project and category. @param since beginning of an hour */
export async function tooLargeSince(
  sql: Sql,
  projectIds: readonly string[],
  since: Date,
): Promise<TooLarge[]> {
  const rows = await sql<(Omit<TooLarge, "quantity"> & { quantity: string })[]>`
    select project_id as "projectId", category, sum(quantity) as quantity from outcomes
    where project_id = any (${[...projectIds]}::bigint[]) and hour >= ${since}
      and kind = 'too_large' and reason in ('request_body', 'decoded_body')
    group by project_id, category
    order by project_id, sum(quantity) desc
  `;
  return rows.map((row) => ({ ...row, quantity: Number(row.quantity) }));
}
