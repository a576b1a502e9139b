import type { Sql } from "../../store/database.ts";

/** Up to so many ids, blocks are looked for that may have them; of more, nearly every block between them has some. */
const MAX_LOOKED_FOR = 200;

/** A condition on blocks. @param seriesIds by ascending id; null: all */
export function ofSeries(sql: Sql, seriesIds: readonly string[] | null) {
  if (seriesIds === null) return sql``;
  if (seriesIds.length > MAX_LOOKED_FOR) {
    return sql`and max_series >= ${seriesIds[0] ?? "0"} and min_series <= ${
      seriesIds.at(-1) ?? "0"
    }`;
  }
  return sql`and exists (
    select 1 from unnest(${seriesIds.map(String)}::bigint[]) as wanted (id)
    where wanted.id between min_series and max_series
  )`;
}

/** Sorts by id, as numbers. */
export function byId(one: { readonly seriesId: string }, other: { readonly seriesId: string }) {
  return compareIds(one.seriesId, other.seriesId);
}

/** Decimal numbers without leading zeros. */
export function compareIds(one: string, other: string): number {
  if (one.length !== other.length) return one.length - other.length;
  return one < other ? -1 : one > other ? 1 : 0;
}
