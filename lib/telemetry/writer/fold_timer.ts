import type { Logger } from "../../log.ts";
import type { Sql } from "../database.ts";
import { foldStats } from "./fold_stats.ts";

/** How long counts wait after a commit, so that many of them are added at once. */
const DELAY_MS = 1_000;
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
    await this.#fold();
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
    try {
      await foldStats(this.sql);
    } catch (error) {
      this.log.warn("cannot add up counts of transactions yet", { error });
    }
  }
}
