import type { Logger } from "../../log.ts";
import type { Sql } from "../database.ts";
import { ensurePartitions } from "../partitions.ts";
import { failureOf } from "../store_errors.ts";
import { categoryOf, type EventRow } from "./event_row.ts";
import type { IssueValues } from "./issue_values.ts";
import { OutcomeTally } from "./outcome_tally.ts";
import { storeBatch } from "./store_batch.ts";

/** What became of a row. */
export type Fate = "stored" | "duplicate" | "refused";

/** What a flush has achieved so far, also when it fails later. */
export interface Progress {
  readonly fates: Map<EventRow, Fate>;
  areOutcomesSaved: boolean;
}

export interface FlushTools {
  readonly sql: Sql;
  readonly log: Logger;
  readonly values: IssueValues;
}

const MAX_CONFLICTS = 5;
const RETRY_MS = { first: 50, max: 800 };

/**
 * Writes rows and outcomes, in one transaction if Postgres takes them all. If it refuses the data, halves are
 * tried until the record at fault stands alone; that one is counted as `invalid`, the others are stored.
 * Passing trouble (a lost race, a broken connection) is tried again until the deadline.
 *
 * @param progress is told what is durable as soon as it is
 * @param deadline milliseconds since the epoch
 * @throws what `postgres` threw last, when the store stayed unavailable
 */
export async function flushRows(
  tools: FlushTools,
  rows: readonly EventRow[],
  outcomes: OutcomeTally,
  progress: Progress,
  deadline: number,
): Promise<void> {
  try {
    const stored = await persist(tools, rows, outcomes, deadline);
    progress.areOutcomesSaved = true;
    for (const row of rows) progress.fates.set(row, stored.has(row) ? "stored" : "duplicate");
  } catch (error) {
    if (failureOf(error) !== "data" || rows.length === 0) throw error;
    if (rows.length === 1) {
      await flushRows(tools, [], withRefusal(tools, rows, outcomes, error), progress, deadline);
      for (const row of rows) progress.fates.set(row, "refused");
    } else {
      const middle = Math.ceil(rows.length / 2);
      await flushRows(tools, rows.slice(0, middle), outcomes, progress, deadline);
      await flushRows(tools, rows.slice(middle), new OutcomeTally(), progress, deadline);
    }
  }
}

async function persist(
  { sql, values }: FlushTools,
  rows: readonly EventRow[],
  outcomes: OutcomeTally,
  deadline: number,
): Promise<ReadonlySet<EventRow>> {
  const days = [...new Set(rows.map(({ day }) => day))].map((day) => new Date(day));
  for (let attempt = 1;; attempt++) {
    try {
      await ensurePartitions(sql, days);
      return await storeBatch(sql, rows, outcomes, values, deadline);
    } catch (error) {
      const failure = failureOf(error);
      const pauseMs = Math.min(RETRY_MS.first * 2 ** attempt * Math.random(), RETRY_MS.max);
      const isHopeless = failure === "data" || (failure === "conflict" && attempt > MAX_CONFLICTS);
      if (isHopeless || Date.now() + pauseMs >= deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }
}

function withRefusal(
  { log }: FlushTools,
  refused: readonly EventRow[],
  outcomes: OutcomeTally,
  error: unknown,
): OutcomeTally {
  const all = new OutcomeTally();
  all.addAll(outcomes);
  for (const { projectId, event } of refused) {
    // Postgres puts values into its messages, so only the code is logged.
    const code = error instanceof Error && "code" in error ? error.code : "";
    log.warn("Postgres refused an event", { projectId, eventId: event.eventId, code });
    const reason = "refused_by_store";
    all.add(projectId, { category: categoryOf(event), kind: "invalid", reason, quantity: 1 });
  }
  return all;
}
