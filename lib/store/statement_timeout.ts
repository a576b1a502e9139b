import type postgres from "postgres";
import type { Sql } from "./database.ts";

/** A query that looks for something rare reads whole days: nobody waits for that any longer. */
export class QueryTooSlow extends Error {
  override name = "QueryTooSlow";
}

const QUERY_CANCELED = "57014";

/**
 * Runs queries of which each may take only so long. The embedded database has no timers: there they take what they take.
 *
 * @param query gets a transaction, and uses nothing else
 * @throws {QueryTooSlow} when one takes longer
 */
export async function withinTime<T>(
  sql: Sql,
  timeoutMs: number,
  query: (tx: postgres.TransactionSql) => PromiseLike<T>,
): Promise<T> {
  try {
    return await sql.begin(async (tx) => {
      // Many partitions make a plan look dear, and Postgres compiles it: a second for a query of ten milliseconds.
      await tx`
        select set_config('statement_timeout', ${
        String(timeoutMs)
      }, true), set_config('jit', 'off', true)
      `;
      return await query(tx);
    }) as T;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === QUERY_CANCELED) {
      throw new QueryTooSlow(`The query took longer than ${timeoutMs} ms`);
    }
    throw error;
  }
}
