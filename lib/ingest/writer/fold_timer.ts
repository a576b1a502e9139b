import type { Logger } from "../../core/log.ts";
import type { Sql } from "../../store/database.ts";
import { foldStats } from "../../store/stats/fold_stats.ts";
import { oldestEntryMs } from "../../store/stats/stat_tally.ts";

/** How long counts wait after a commit, so that many of them, of all processes, are added at once. */
const DELAY_MS = 2_000;
/** What a process that ended has left behind is found after this time at the latest. */
const IDLE_MS = 30_000;

/** Folds the counts of commits from time to time. Pages do not wait for it: they fold what they need. */
export class FoldTimer {
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isSoon = false;
  #isClosed = false;
  #running: Promise<void> = Promise.resolve();

  constructor(private readonly sql: Sql, private readonly log: Logger) {
    this.#wait(IDLE_MS);
  }

  /** Something was counted. */
  note(): void {
    if (this.#isSoon || this.#isClosed) return;
    this.#isSoon = true;
    this.#wait(DELAY_MS);
  }

  /** Folds what is there for the last time. Never rejects. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#running;
    await this.#try(foldOutcomes);
    await this.#try(foldStats);
  }

  #wait(ms: number): void {
    clearTimeout(this.#timer);
    const timer = setTimeout(() => {
      this.#isSoon = false;
      this.#running = this.#fold().then(() => {
        if (!this.#isClosed && !this.#isSoon) this.#wait(IDLE_MS);
      });
    }, ms);
    // A process may end while nothing waits but this.
    Deno.unrefTimer(timer);
    this.#timer = timer;
  }

  async #fold(): Promise<void> {
    await this.#try(foldOutcomes);
    await this.#try(async (sql) => {
      const ageMs = await oldestEntryMs(sql);
      // Another process has just folded: the few that came since then can wait for more.
      if (ageMs !== null && ageMs < DELAY_MS) this.note();
      else if (ageMs !== null) await foldStats(sql);
    });
  }

  async #try(fold: (sql: Sql) => Promise<void>): Promise<void> {
    try {
      await fold(this.sql);
    } catch (error) {
      this.log.warn("cannot add up counts yet", { error });
    }
  }
}

/** Rows of one transaction: some hundred commits. */
const ROWS_A_FOLD = 10_000;
/** Advisory lock of this database under which outcomes are folded. */
const OUTCOME_FOLD_LOCK = 7_310_577_004;

/**
 * Adds the outcomes that commits have appended so far to those of their hours and days. Readers need not wait for it:
 * the views that they read hold both. Does nothing while somebody else is at it.
 *
 * @throws what `postgres` throws; nothing is lost then, and the next call does it
 */
export async function foldOutcomes(sql: Sql): Promise<void> {
  const [pending] = await sql`select 1 from outcome_journal limit 1`;
  if (pending === undefined) return;
  while (await foldSome(sql) === ROWS_A_FOLD);
}

async function foldSome(sql: Sql): Promise<number> {
  return await sql.begin(async (tx) => {
    const [lock] = await tx<{ isMine: boolean }[]>`
      select pg_try_advisory_xact_lock(${OUTCOME_FOLD_LOCK}) as "isMine"
    `;
    if (!lock?.isMine) return 0;
    const [taken] = await tx<{ rows: number }[]>`
      with taken as (
        delete from outcome_journal
        where ctid = any (array(select ctid from outcome_journal limit ${ROWS_A_FOLD}))
        returning project_id, hour, category, kind, reason, quantity
      ),
      hours as (
        insert into outcome_hours as known (project_id, hour, category, kind, reason, quantity)
        select project_id, hour, category, kind, reason, sum(quantity) from taken
        group by 1, 2, 3, 4, 5
        on conflict (project_id, hour, category, kind, reason)
          do update set quantity = known.quantity + excluded.quantity
      ),
      days as (
        insert into outcome_days as known (project_id, day, category, kind, reason, quantity)
        select project_id, (hour at time zone 'UTC')::date, category, kind, reason, sum(quantity)
        from taken
        group by 1, 2, 3, 4, 5
        on conflict (project_id, day, category, kind, reason)
          do update set quantity = known.quantity + excluded.quantity
      )
      select count(*)::int as rows from taken
    `;
    return taken?.rows ?? 0;
  });
}
