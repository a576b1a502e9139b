import type { PGlite } from "@electric-sql/pglite";
import type { Session } from "./session.ts";

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
