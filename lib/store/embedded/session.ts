import type { PGlite } from "@electric-sql/pglite";
import type { Limiter } from "./interrupt.ts";

const SYNC = new Uint8Array([0x53, 0, 0, 0, 4]);

/** So many in a row go before somebody who can wait, when both do. */
const URGENT_IN_A_ROW = 8;

/**
 * PGlite has one session for everybody. This lends it to one holder at a time, first come, first served but for those
 * who are in a hurry: a connection keeps it for a whole exchange or transaction, so that answers never mix.
 */
export class Session {
  readonly #db: PGlite;
  readonly #limiter: Limiter | null;
  readonly #waiting = { urgent: [] as (() => void)[], other: [] as (() => void)[] };
  #isHeld = false;
  #urgentInARow = 0;
  #searchPath = "public";
  #broken: string | null = null;

  /** @param limiter ends what takes too long; without one nothing does */
  constructor(db: PGlite, limiter: Limiter | null = null) {
    this.#db = db;
    this.#limiter = limiter;
  }

  /** Marks the engine as dead: everything afterwards fails at once instead of entering it again. */
  break(reason: string): void {
    this.#broken ??= reason;
  }

  get isBroken(): boolean {
    return this.#broken !== null;
  }

  /**
   * Waits for the session and takes it. The holder must call `release()` once.
   *
   * @param isUrgent before those who are not, but for one of them now and then
   */
  async acquire(isUrgent = false): Promise<Hold> {
    if (this.#isHeld) {
      const { urgent, other } = this.#waiting;
      await new Promise<void>((resolve) => (isUrgent ? urgent : other).push(resolve));
    }
    this.#isHeld = true;
    return { db: this.#db, release: () => this.#lendToNext() };
  }

  #lendToNext(): void {
    const { urgent, other } = this.#waiting;
    const isTheirTurn = urgent.length > 0 &&
      (other.length === 0 || this.#urgentInARow < URGENT_IN_A_ROW);
    this.#urgentInARow = isTheirTurn ? this.#urgentInARow + 1 : 0;
    const next = (isTheirTurn ? urgent : other).shift();
    if (next === undefined) this.#isHeld = false;
    else next();
  }

  /**
   * Runs complete wire messages and returns what Postgres answered. Only for the holder.
   *
   * @param limitMs after which it is cancelled; null: never
   * @throws {Error} when the engine is dead
   */
  async exchange(
    messages: Uint8Array,
    limitMs: number | null = null,
  ): Promise<Uint8Array<ArrayBuffer>[]> {
    this.#refuseWhenBroken();
    const reply: Uint8Array<ArrayBuffer>[] = [];
    // The bytes are a view into the engine's memory and change after the callback: copied.
    const run = () =>
      this.#db.execProtocolRawStream(messages, {
        onRawData: (bytes) => reply.push(new Uint8Array(bytes)),
      });
    if (limitMs === null || this.#limiter === null) await run();
    else await this.#limiter.run(limitMs, run);
    this.#refuseWhenBroken();
    return reply;
  }

  /** Points unqualified names at a schema: connections differ in it, the session is one. Only for the holder. */
  async useSearchPath(searchPath: string): Promise<void> {
    if (searchPath === this.#searchPath) return;
    this.#refuseWhenBroken();
    await this.#db.query("select set_config('search_path', $1, false)", [searchPath]);
    this.#searchPath = searchPath;
  }

  /** Ends what a holder left open: an exchange without its end, a transaction. Only for the holder. */
  async reset(): Promise<void> {
    if (this.isBroken) return;
    // After an error Postgres skips everything up to the next Sync, a rollback too.
    await this.exchange(SYNC);
    if (this.#db.isInTransaction()) await this.#db.exec("rollback");
  }

  #refuseWhenBroken(): void {
    if (this.#broken !== null) throw new Error(`Embedded Postgres died: ${this.#broken}`);
  }
}

/** The session, lent. */
export interface Hold {
  readonly db: PGlite;
  release(): void;
}

/** How often to look whether there is something to do. */
const TICK_MS = 5_000;
/** Write-ahead log after which to flush the pages: bounds its disk space and the recovery after a crash. */
const CHECKPOINT = { walBytes: 64 * 1024 * 1024, intervalMs: 5 * 60_000 };
const VACUUM = { intervalMs: 10 * 60_000 };
/** Rows that make a table worth vacuuming or analyzing: Postgres' own rule and numbers for autovacuum. */
const VACUUM_ROWS = { base: 50, share: 0.2 };

/**
 * Does what the background processes of a Postgres server do and PGlite, which has none, does not: without
 * checkpoints the write-ahead log grows for ever, without vacuum so do the tables.
 *
 * @param onTrouble told when it fails, once for each reason in a row
 */
export function startUpkeep(
  session: Session,
  onTrouble: (reason: string) => void,
): { stop(): Promise<void> } {
  const tasks = [checkpointTask(CHECKPOINT), vacuumTask(VACUUM)];
  let running: Promise<void> = Promise.resolve();
  let lastTrouble = "";

  async function run(): Promise<void> {
    try {
      for (const task of tasks) await runAlone(task, session);
      lastTrouble = "";
    } catch (error) {
      // A full disk, for instance: the next tick tries again.
      const trouble = error instanceof Error ? error.message : String(error);
      if (trouble !== lastTrouble && !session.isBroken) onTrouble(trouble);
      lastTrouble = trouble;
    }
  }

  const timer = setInterval(() => running = running.then(run), TICK_MS);
  return {
    async stop() {
      clearInterval(timer);
      await running;
    },
  };
}

type Task = (db: PGlite) => Promise<void>;

async function runAlone(task: Task, session: Session): Promise<void> {
  const hold = await session.acquire();
  try {
    if (!session.isBroken) await task(hold.db);
  } finally {
    hold.release();
  }
}

/** Flushes the pages when there is much log, or some and a long time has passed. */
export function checkpointTask(due: { walBytes: number; intervalMs: number }): Task {
  let lastAt = Date.now();
  let lastPosition = 0;
  return async (db) => {
    const { rows: [row] } = await db.query<{ position: string }>(
      "select pg_current_wal_insert_lsn() - '0/0'::pg_lsn as position",
    );
    const position = Number(row?.position);
    const written = position - lastPosition;
    const isDue = written > due.walBytes ||
      written > 0 && Date.now() - lastAt > due.intervalMs;
    if (!isDue) return;
    await db.exec("checkpoint");
    lastAt = Date.now();
    lastPosition = position;
  };
}

/**
 * Once in a while cleans the tables that lost many rows, and counts anew those that got many. One table a tick, the
 * neediest first, so that no client waits long.
 */
export function vacuumTask(due: { intervalMs: number }): Task {
  let lastAt = Date.now();
  return async (db) => {
    if (Date.now() - lastAt < due.intervalMs) return;
    const { rows: [table] } = await db.query<{ name: string; needsVacuum: boolean }>(
      `select
         quote_ident(schemaname) || '.' || quote_ident(relname) as name,
         n_dead_tup > $1::int + $2::float8 * n_live_tup as "needsVacuum"
       from pg_stat_user_tables
       where greatest(n_dead_tup, n_mod_since_analyze) > $1::int + $2::float8 * n_live_tup
       order by 2 desc, greatest(n_dead_tup, n_mod_since_analyze) desc
       limit 1`,
      [VACUUM_ROWS.base, VACUUM_ROWS.share],
    );
    if (table === undefined) lastAt = Date.now();
    else {await db.exec(
        table.needsVacuum ? `vacuum (analyze) ${table.name}` : `analyze ${table.name}`,
      );}
  };
}
