/** Finds out when a Postgres that was away is back. */
import type { Sql } from "../../store/database.ts";

const INTERVAL_MS = 250;
/** A connection that leads nowhere can keep a question for minutes: others are asked meanwhile. */
const PATIENCE_MS = 2_000;
const MAX_UNANSWERED = 3;

export interface Probe {
  stop(): void;
}

/** Asks Postgres for a sign of life again and again until it gives one; then calls `whenBack`, once. */
export function startProbe(sql: Sql, whenBack: () => void): Probe {
  let isStopped = false;
  let unanswered = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function askLater(delayMs: number): void {
    clearTimeout(timer);
    if (!isStopped) timer = setTimeout(ask, delayMs);
  }

  function ask(): void {
    if (unanswered >= MAX_UNANSWERED) return askLater(PATIENCE_MS);
    unanswered++;
    askLater(PATIENCE_MS);
    sql`select 1`.then(() => {
      unanswered--;
      if (isStopped) return;
      stop();
      whenBack();
    }, () => {
      unanswered--;
      askLater(INTERVAL_MS);
    });
  }

  function stop(): void {
    isStopped = true;
    clearTimeout(timer);
  }

  askLater(INTERVAL_MS);
  return { stop };
}
