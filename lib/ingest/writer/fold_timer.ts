import type { Logger } from "../../core/log.ts";
import type { Sql } from "../../store/database.ts";
import { foldOutcomes } from "./fold_outcomes.ts";
import { foldStats } from "../../store/stats/fold_stats.ts";
import { oldestEntryMs } from "../../store/stats/stat_journal.ts";

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
