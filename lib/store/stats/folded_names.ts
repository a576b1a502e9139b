import type { Sql } from "../database.ts";
import { foldForReading } from "./fold_stats.ts";
import { distinctCount } from "./distinct.ts";

/** What was counted under the common name, because a project used too many names. */
export interface Folded {
  readonly transactions: number;
  /** How many names they would have had: exact below 256, else an estimate. */
  readonly names: number;
  /** One of them. */
  readonly example: string;
}

/** What was folded within a stretch of time, or null when nothing was. */
export async function readFolded(
  sql: Sql,
  projectId: string,
  { start, end }: { readonly start: Date; readonly end: Date },
): Promise<Folded | null> {
  await foldForReading(sql);
  const [row] = await sql<{ transactions: string | null; names: Uint8Array; example: string }[]>`
    select
      sum(transactions) as transactions, string_agg(names, ''::bytea) as names,
      (array_agg(example order by hour desc))[1] as example
    from folded_names
    where project_id = ${projectId} and hour > ${start}::timestamptz - interval '1 hour'
      and hour < ${end}
  `;
  if (row === undefined || row.transactions === null) return null;
  return {
    transactions: Number(row.transactions),
    names: distinctCount(row.names),
    example: row.example,
  };
}
