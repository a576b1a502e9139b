import type { Logger } from "../../core/log.ts";
import { ensurePartitions } from "../../store/partitions.ts";
import { failureOf } from "../../core/store_errors.ts";
import { partitionDays } from "./partition_days.ts";
import type { RequestRows } from "./prepare.ts";
import { recordOf, type RecordRow } from "./record_row.ts";
import { type Fates, storeBatch, type StoreTools } from "./store_batch.ts";
import { Tallies } from "./tallies.ts";

/** What became of a row. */
export type Fate = "stored" | "duplicate" | "refused";

/** What a flush has achieved so far, also when it fails later. */
export interface Progress {
  readonly fates: Map<RecordRow, Fate>;
  /** Requests that are durable, those without rows among them. */
  readonly done: Set<RequestRows>;
  areCountsSaved: boolean;
}

export interface FlushTools extends StoreTools {
  readonly log: Logger;
}

const MAX_CONFLICTS = 5;
const RETRY_MS = { first: 50, max: 800 };

/**
 * Writes requests and counts, in one transaction if Postgres takes them all. If it refuses the data, halves are
 * tried until the request at fault stands alone; of that one the records at fault are counted as `invalid`, the
 * others are stored. Passing trouble (a lost race, a broken connection) is tried again until the deadline.
 *
 * @param progress is told what is durable as soon as it is
 * @param deadline on the clock of `performance.now()`
 * @throws what `postgres` threw last, when the store stayed unavailable
 */
export async function flushRequests(
  tools: FlushTools,
  requests: readonly RequestRows[],
  counts: Tallies,
  progress: Progress,
  deadline: number,
): Promise<void> {
  try {
    await persist(tools, requests, counts, progress, deadline, false);
  } catch (error) {
    const hasRows = requests.some(({ rows }) => rows.length > 0);
    if (failureOf(error) !== "data" || !hasRows) throw error;
    if (requests.length === 1) {
      await persist(tools, requests, counts, progress, deadline, true);
      warnOfRefused(tools.log, requests, progress.fates, error);
    } else {
      const middle = Math.ceil(requests.length / 2);
      await flushRequests(tools, requests.slice(0, middle), counts, progress, deadline);
      await flushRequests(tools, requests.slice(middle), new Tallies(), progress, deadline);
    }
  }
}

async function persist(
  tools: FlushTools,
  requests: readonly RequestRows[],
  counts: Tallies,
  progress: Progress,
  deadline: number,
  isSalvage: boolean,
): Promise<void> {
  const fates = await untilStored(tools, requests, counts, deadline, isSalvage);
  progress.areCountsSaved = true;
  for (const request of requests) {
    progress.done.add(request);
    // A request that was stored before has no fates now: they are those of the first time.
    for (const row of request.rows) progress.fates.set(row, fates.get(row) ?? "stored");
  }
}

async function untilStored(
  tools: FlushTools,
  requests: readonly RequestRows[],
  counts: Tallies,
  deadline: number,
  isSalvage: boolean,
): Promise<Fates> {
  const days = partitionDays(requests);
  for (let attempt = 1;; attempt++) {
    try {
      await ensurePartitions(tools.sql, days);
      return await storeBatch(tools, requests, counts, deadline, isSalvage);
    } catch (error) {
      const failure = failureOf(error);
      const pauseMs = Math.min(RETRY_MS.first * 2 ** attempt * Math.random(), RETRY_MS.max);
      const isHopeless = failure === "data" || (failure === "conflict" && attempt > MAX_CONFLICTS);
      if (isHopeless || performance.now() + pauseMs >= deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }
}

function warnOfRefused(
  log: Logger,
  requests: readonly RequestRows[],
  fates: Fates,
  error: unknown,
): void {
  // Postgres puts values into its messages, so only the code is logged.
  const code = error instanceof Error && "code" in error ? error.code : "";
  for (const { projectId, rows } of requests) {
    for (const row of rows) {
      if (fates.get(row) !== "refused") continue;
      log.warn("Postgres refused a record", { projectId, kind: recordOf(row).kind, code });
    }
  }
}
