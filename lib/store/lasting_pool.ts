import type { Sql } from "./database.ts";

/** Queries that began on a pool before it was replaced have ended by then. */
const RETIREMENT_MS = 30_000;
const END_TIMEOUT_SEC = 5;

/**
 * A pool of connections that outlives broken ones.
 *
 * postgres 3.4.9 forgets the socket of a connection that breaks, but not the write it had scheduled. A transaction
 * that learns of the break sends ROLLBACK into the missing socket, from a timer, where the error ends the process;
 * or the connection, made anew, takes the timer for a running one and never sends again (porsager/postgres#1154,
 * #1208). Hence two measures: `patient_socket.ts` lets a broken connection close only when nobody has more to
 * send, and here a pool that has lost a connection is replaced, so that no connection is ever made anew.
 *
 * @param open makes a pool that calls `onBreak` when a connection breaks
 */
export function lastingPool(open: (onBreak: () => void) => Sql): Sql {
  let current = openNext();
  const retired = new Map<Sql, ReturnType<typeof setTimeout>>();

  function openNext(): Sql {
    const pool: Sql = open(() => {
      if (pool !== current) return;
      current = openNext();
      retired.set(pool, setTimeout(() => retire(pool), RETIREMENT_MS));
    });
    return pool;
  }

  async function retire(pool: Sql): Promise<void> {
    clearTimeout(retired.get(pool));
    retired.delete(pool);
    await pool.end({ timeout: END_TIMEOUT_SEC });
  }

  async function end(options?: { timeout?: number }): Promise<void> {
    const pools = [current, ...retired.keys()];
    for (const timer of retired.values()) clearTimeout(timer);
    retired.clear();
    await Promise.all(pools.map((pool) => pool.end(options)));
  }

  return new Proxy(current, {
    apply: (_, self, values) => Reflect.apply(current, self, values),
    get: (_, name) => name === "end" ? end : Reflect.get(current, name),
  });
}
