/** Finds what is at fault where Postgres refuses a batch, so that the others in it are stored. */
import { failureOf, sqlStateOf } from "../../core/errors.ts";
import type { Logger } from "../../core/log.ts";
import { Tallies } from "./counts.ts";
import type { Fates } from "./fates.ts";
import { type Flush, type FlushTools, persist, type Progress } from "./flush.ts";
import { recordOf, type RequestRows } from "./rows.ts";
import { placeOf } from "./suspects.ts";

/**
 * Writes requests and counts, in one transaction if Postgres takes them all. If it refuses the data or a statement, halves
 * are tried until the request at fault stands alone. Where a record is at fault it is counted as `invalid` and the others
 * of the request are stored; where the statement is, the request is told as unstorable. Passing trouble (a lost race, a
 * broken connection) is tried again until the deadline.
 *
 * @param progress is told what is durable as soon as it is
 * @throws what `postgres` threw last, when the store stayed unavailable
 */
export async function flushRequests(
  tools: FlushTools,
  flush: Flush,
  progress: Progress,
): Promise<void> {
  const { suspects } = tools;
  // Whoever has spoiled transactions lately spoils none of others.
  const [trusted, suspected] = suspects.apart(flush.requests);
  if (trusted.length > 0 && suspected.length > 0) {
    await inParts(tools, flush, progress, [trusted, suspected]);
  } else await flushTogether(tools, flush, progress);
}

async function flushTogether(tools: FlushTools, flush: Flush, progress: Progress): Promise<void> {
  const { requests } = flush;
  try {
    await persist(tools, flush, progress);
  } catch (error) {
    const failure = failureOf(error);
    const hasRows = requests.some(({ rows }) => rows.length > 0);
    const isTheirs = failure === "statement" ? requests.length > 0 : failure === "data" && hasRows;
    if (!isTheirs) throw error;
    const [only] = requests;
    if (only !== undefined && requests.length === 1) {
      return await salvageOne(tools, only, flush, progress, error);
    }
    const middle = Math.ceil(requests.length / 2);
    const parts = [requests.slice(0, middle), requests.slice(middle)];
    await inParts(tools, flush, progress, parts);
  }
}

/** One after the other; the counts go with the first. */
async function inParts(
  tools: FlushTools,
  { counts, deadline }: Flush,
  progress: Progress,
  parts: readonly (readonly RequestRows[])[],
): Promise<void> {
  for (const [index, requests] of parts.entries()) {
    const part = { requests, counts: index === 0 ? counts : new Tallies(), deadline };
    await flushTogether(tools, part, progress);
    progress.onPart();
  }
}

/** Stores what can be stored of the request at fault. */
async function salvageOne(
  tools: FlushTools,
  request: RequestRows,
  flush: Flush,
  progress: Progress,
  error: unknown,
): Promise<void> {
  let reason = error;
  if (failureOf(error) === "data") {
    try {
      await persist(tools, { ...flush, isSalvage: true }, progress);
      warnOfRefused(tools.log, request, progress.fates, error);
      return;
    } catch (another) {
      if (failureOf(another) !== "statement") throw another;
      reason = another;
    }
  }
  tools.suspects.note(request.projectId);
  progress.unstorable.set(request, sqlStateOf(reason));
  warnOfUnstorable(tools.log, request, reason);
}

function warnOfRefused(
  log: Logger,
  { projectId, rows }: RequestRows,
  fates: Fates,
  error: unknown,
): void {
  // Postgres puts values into its messages, so only the code is logged.
  const code = error instanceof Error && "code" in error ? error.code : "";
  for (const row of rows) {
    if (fates.get(row) !== "refused") continue;
    log.warn("Postgres refused a record", { projectId, kind: recordOf(row).kind, code });
  }
}

/** When each log was told last, by a clock that nobody sets. */
const told = new WeakMap<Logger, number>();
const TELL_EVERY_MS = 60_000;

/** One line a minute: whoever sends one such request sends many. */
function warnOfUnstorable(log: Logger, { projectId, rows }: RequestRows, error: unknown): void {
  const last = told.get(log);
  if (last !== undefined && performance.now() - last < TELL_EVERY_MS) return;
  told.set(log, performance.now());
  const kinds = [...new Set(rows.map((row) => recordOf(row).kind))];
  const words = "a request cannot be stored, and trying again does not mend it: it is set aside";
  log.error(words, { projectId, kinds, ...placeOf(error) }, error);
}
