import type { Queryable } from "../database.ts";
import { SERIES_KINDS } from "./series.ts";

/** As many as a browser offers at once. */
const MAX_NAMES = 300;

/** Names of transactions of the last seven days, by name; not all of them where there are many. */
export async function transactionNames(sql: Queryable, projectId: string): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`
    select distinct name from stat_series
    where project_id = ${projectId} and kind = ${SERIES_KINDS.transaction_whole}
      and seen_on > (now() - interval '7 days')::date and name <> ''
    order by name
    limit ${MAX_NAMES}
  `;
  return rows.map(({ name }) => name);
}
