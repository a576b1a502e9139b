import type { Sql } from "./database.ts";
import type { OutcomeKind } from "./records.ts";

/** How many items came to the same end on one UTC day. */
export interface UsageRow {
  readonly projectId: string;
  /** `YYYY-MM-DD`, UTC. */
  readonly day: string;
  readonly category: string;
  readonly kind: OutcomeKind;
  readonly reason: string;
  readonly quantity: number;
}

/**
 * What became of everything that some projects were sent, by UTC day of receipt.
 *
 * @param range hours that begin from `start` until before `end`
 */
export async function usageOf(
  sql: Sql,
  projectIds: readonly string[],
  { start, end }: { readonly start: Date; readonly end: Date },
): Promise<UsageRow[]> {
  if (projectIds.length === 0) return [];
  const rows = await sql<(Omit<UsageRow, "quantity"> & { quantity: string })[]>`
    select
      project_id as "projectId", to_char(hour at time zone 'UTC', 'YYYY-MM-DD') as day,
      category, kind, reason, sum(quantity) as quantity
    from outcomes
    where project_id = any (${[...projectIds]}::bigint[]) and hour >= ${start} and hour < ${end}
    group by 1, 2, 3, 4, 5
    order by 2, 1, 3, 4, 5
  `;
  return rows.map((row) => ({ ...row, quantity: Number(row.quantity) }));
}
