/** A pool of connections, and transactions on them, that outlive broken ones. */
import type postgres from "postgres";
import { lightenQueries } from "./light_queries.ts";
import { connectionClosed, PoolSockets } from "./patient_socket.ts";
import { timed } from "./slow_statements.ts";

type Sql = postgres.Sql;
type Transaction = postgres.TransactionSql;

/** What is to hold for all transactions of a pool. */
interface PoolRules {
  /** Whether slow statements are noted: of pages and clocks, not of the intake. */
  readonly isTimed: boolean;
  /**
   * How long a transaction may ask for nothing, in milliseconds, before Postgres ends it: a process that hangs, or whose
   * machine is gone, would hold its locks for as long as TCP believes in it, two hours by default. Null: for ever.
   */
  readonly idleLimitMs: number | null;
}

/** Queries that began on a pool before it was replaced have ended by then. */
const RETIREMENT_MS = 30_000;
const END_TIMEOUT_SEC = 5;

/** Who wants to hear of broken connections, by pool. */
const listeners = new WeakMap<Sql, Set<() => void>>();

/**
 * Calls `listener` when a connection of a pool breaks. For whoever remembers what is in the database: the server that
 * answers next may be a replica, or restored from a backup, and lack what the one before has committed last.
 */
export function onBreak(sql: Sql, listener: () => void): void {
  const others = listeners.get(sql) ?? new Set();
  others.add(listener);
  listeners.set(sql, others);
}

/**
 * A pool of connections that outlives broken ones.
 *
 * postgres 3.4.9 forgets the socket of a connection that breaks, but not the write it had scheduled. A transaction
 * that learns of the break sends ROLLBACK into the missing socket, from a timer, where the error ends the process;
 * or the connection, made anew, takes the timer for a running one and never sends again (porsager/postgres#1154,
 * #1208). Hence three measures: `patientSockets()` lets a broken connection close only when nobody has more to
 * send, a pool that has lost a connection is replaced here, so that no connection is ever made anew, and a transaction
 * that goes on when its connection has closed sends nothing.
 *
 * @param open makes a pool out of such sockets
 */
export function lastingPool(
  { isTimed, idleLimitMs }: PoolRules,
  open: (sockets: PoolSockets) => Sql,
): Sql {
  const pools = new Set<Pool>();
  let isEnded = false;
  let current = openNext();
  lightenQueries(current);

  function openNext(): Sql {
    const sockets = new PoolSockets(() => {
      for (const tell of listeners.get(lasting) ?? []) tell();
      if (isEnded || sql !== current) return;
      current = openNext();
      const options = { timeout: END_TIMEOUT_SEC };
      pool.retirement = setTimeout(() => endOne(pool, options), RETIREMENT_MS);
    });
    const sql = open(sockets);
    const pool: Pool = { sql, sockets };
    pools.add(pool);
    return sql;
  }

  async function endOne(pool: Pool, options?: { timeout?: number }): Promise<void> {
    clearTimeout(pool.retirement);
    await pool.sql.end(options);
    await pool.sockets.closed();
    pools.delete(pool);
  }

  async function end(options?: { timeout?: number }): Promise<void> {
    isEnded = true;
    await Promise.all(Array.from(pools, (pool) => endOne(pool, options)));
  }

  function begin(...values: unknown[]): unknown {
    const { promise: gone, reject } = Promise.withResolvers<never>();
    const link: Link = { isTimed, isGone: false, gone };
    gone.catch(() => {});
    const held = new Held(values.at(-1));
    const begun = Reflect.apply(current.begin, current, [
      ...values.slice(0, -1),
      (tx: Transaction) => {
        // Goes with the first statement of the work: as a parameter of the connection poolers refuse it.
        if (idleLimitMs !== null) tx.unsafe(limitIdling(idleLimitMs)).catch(() => {});
        return held.run(tx, link);
      },
    ]);
    return begun.then(() => held.release(), (error: unknown) => {
      held.release();
      // It fails as soon as the connection has closed, whatever the work is doing.
      link.isGone = true;
      reject(error);
      throw error;
    });
  }

  const own = new Map<string | symbol, unknown>([["end", end], ["begin", begin]]);
  const lasting: Sql = new Proxy(current, {
    apply: (_, self, values) => {
      const made = Reflect.apply(current, self, values);
      return isTimed ? timed(made) : made;
    },
    get: (_, name) => own.get(name) ?? Reflect.get(current, name),
  });
  return lasting;
}

/** For one transaction. @param ms how long it may ask for nothing; 0: for ever */
export function limitIdling(ms: number): string {
  return `set local idle_in_transaction_session_timeout = ${ms}`;
}

/** A pool of the driver, until it has ended. */
interface Pool {
  readonly sql: Sql;
  readonly sockets: PoolSockets;
  /** Ends it when it was replaced. */
  retirement?: ReturnType<typeof setTimeout>;
}

/** What a transaction knows of its connection. */
interface Link {
  readonly isTimed: boolean;
  /** The driver has told of its end: there is nothing left to send to, and nothing to undo. */
  isGone: boolean;
  /** Rejects then. */
  readonly gone: Promise<never>;
}

type Work = (tx: Transaction) => unknown;

/**
 * What a transaction does and what came of it, as long as somebody needs that: what the driver keeps of one lives until the
 * next collection of everything, and would keep all that the work has made.
 */
class Held {
  #work: Work | null;
  #value: unknown = undefined;

  constructor(work: unknown) {
    this.#work = typeof work === "function" ? (tx) => work(tx) : null;
  }

  /** For the driver, which learns nothing of the result. */
  async run(tx: Transaction, link: Link): Promise<void> {
    const work = this.#work;
    if (work !== null) this.#value = await outlived(work, tx, link);
  }

  /** @returns what the work has returned */
  release(): unknown {
    const value = this.#value;
    this.#work = this.#value = null;
    return value;
  }
}

/** The arguments of `savepoint()`, of which the last is the work. */
function withWork(values: readonly unknown[], link: Link): unknown[] {
  const work = values.at(-1);
  return typeof work === "function"
    ? [...values.slice(0, -1), (tx: Transaction) => outlived((tx) => work(tx), tx, link)]
    : [...values];
}

/** For the driver. Never settles once the connection is gone: it would send COMMIT or ROLLBACK. */
async function outlived(work: Work, tx: Transaction, link: Link): Promise<unknown> {
  const [ended] = await Promise.allSettled([promised(() => work(guarded(tx, link)))]);
  if (link.isGone) await new Promise(() => {});
  if (ended.status === "rejected") throw ended.reason;
  return ended.value;
}

async function promised(work: () => unknown): Promise<unknown> {
  const made = work();
  // As the driver takes them.
  return await (Array.isArray(made) ? Promise.all(made) : made);
}

/** A transaction whose statements fail when its connection is gone. */
function guarded(tx: Transaction, link: Link): Transaction {
  const check = () => {
    if (link.isGone) throw connectionClosed();
  };
  return new Proxy(tx, {
    apply(target, self, values) {
      check();
      const made = Reflect.apply(target, self, values);
      return link.isTimed ? timed(made) : made;
    },
    get(target, name) {
      if (name === "savepoint") {
        return async (...values: unknown[]) => {
          check();
          const kept = Reflect.apply(target.savepoint, target, withWork(values, link));
          return await Promise.race([kept, link.gone]);
        };
      }
      if (name === "unsafe") check();
      return Reflect.get(target, name);
    },
  });
}
