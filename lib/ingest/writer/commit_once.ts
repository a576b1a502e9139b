import type { Sql, Transaction } from "../../store/database.ts";
import { failureOf, StoreUnavailable } from "../../core/store_errors.ts";

/** Milliseconds for one statement: callers have given up by then, and nothing shall linger behind a lock. */
const STATEMENT_TIMEOUT_MS = 5_000;
const POLL_MS = 100;

interface Work<T> {
  /** The transaction's id, known once only COMMIT is left to do. */
  xid: string;
  result: T;
}

/**
 * Runs a transaction, and knows its fate even when the connection breaks during COMMIT: then Postgres is asked
 * what became of the transaction's id, so that what was committed is not counted a second time.
 *
 * @param deadline on the clock of `performance.now()`: later on nothing is committed
 * @throws {StoreUnavailable} when the work ends after the deadline
 */
export async function commitOnce<T>(
  sql: Sql,
  deadline: number,
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  const done: Work<T>[] = [];
  try {
    await sql.begin(async (tx) => {
      const [xid, result] = await Promise.all([prepare(tx), work(tx)]);
      // Nobody waits any more, and what was given up shall not appear later on.
      if (performance.now() >= deadline) {
        throw new StoreUnavailable("Cannot commit: it took too long");
      }
      done.push({ xid, result });
    });
  } catch (error) {
    const [unsure] = done;
    if (unsure === undefined || failureOf(error) !== "unavailable") throw error;
    if (!await wasCommitted(sql, unsure.xid, deadline)) throw error;
  }
  const [finished] = done;
  if (finished === undefined) throw new Error("Cannot commit: the transaction ended early");
  return finished.result;
}

async function prepare(tx: Transaction): Promise<string> {
  const [row] = await tx<{ xid: string }[]>`
    select pg_current_xact_id()::text as xid,
      set_config('statement_timeout', ${String(STATEMENT_TIMEOUT_MS)}, true)
  `;
  return row?.xid ?? "";
}

async function wasCommitted(sql: Sql, xid: string, deadline: number): Promise<boolean> {
  while (performance.now() < deadline) {
    const status = await statusOf(sql, xid);
    if (status === "committed") return true;
    if (status === "aborted") return false;
    // In progress, or still out of reach.
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  return false;
}

async function statusOf(sql: Sql, xid: string): Promise<string | null> {
  try {
    const [row] = await sql<{ status: string | null }[]>`
      select pg_xact_status(${xid}::xid8) as status
    `;
    return row?.status ?? null;
  } catch (error) {
    if (failureOf(error) === "unavailable") return null;
    throw error;
  }
}
