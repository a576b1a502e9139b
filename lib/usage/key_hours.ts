import type { Sql } from "../store/database.ts";

/** What came with one key. */
export interface KeyUsage {
  readonly accepted: number;
  readonly refused: number;
  /** The last request in the range. */
  readonly lastUsedAt: Date;
}

/** Requests by key id, in hours that begin from `start` until before `end`. Keys without any are absent. */
export async function keyUsage(
  sql: Sql,
  projectId: string,
  { start, end }: { readonly start: Date; readonly end: Date },
): Promise<ReadonlyMap<string, KeyUsage>> {
  const rows = await sql<{ id: string; accepted: string; refused: string; lastUsedAt: Date }[]>`
    select key_id as id, sum(accepted) as accepted, sum(refused) as refused,
      max(last_used_at) as "lastUsedAt"
    from key_hours
    where project_id = ${projectId} and hour >= ${start} and hour < ${end}
    group by key_id
  `;
  return new Map(rows.map(({ id, accepted, refused, lastUsedAt }) => [
    id,
    { accepted: Number(accepted), refused: Number(refused), lastUsedAt },
  ]));
}

/** How many requests of some projects were stored, in hours that begin from `start` until before `end`. */
export async function acceptedRequests(
  sql: Sql,
  projectIds: readonly string[],
  { start, end }: { readonly start: Date; readonly end: Date },
): Promise<number> {
  const [row] = await sql<{ accepted: string | null }[]>`
    select sum(accepted) as accepted from key_hours
    where project_id = any (${[...projectIds]}::bigint[]) and hour >= ${start} and hour < ${end}
  `;
  return Number(row?.accepted ?? 0);
}
