import type { Logger } from "../../core/log.ts";
import { failureOf, StoreUnavailable } from "../../core/errors.ts";
import { DAY_MS } from "../../core/time.ts";
import { countOf, type MetricBatch, type Receipt } from "../../records/mod.ts";
import type { Sql, Transaction } from "../../store/database.ts";
import { type Columns, incoming } from "../../store/incoming_rows.ts";
import { ensurePartitions } from "../../store/partitions.ts";
import type { NameCaps } from "../../store/stats/name_caps.ts";
import { appendToJournal, StatTally } from "../../store/stats/stat_tally.ts";
import { Tallies } from "./counts.ts";
import {
  type FiledEvent,
  findIssues,
  insertEvents,
  type IssueValues,
  type KnownIssues,
  type NewValues,
  resolveIssues,
  saveTags,
  takeEventIds,
} from "./events.ts";
import {
  saveIssuePeriods,
  saveIssues,
  saveProjectHours,
  tallyIssues,
  tallyOccurrences,
} from "./issue_counts.ts";
import {
  type EventRow,
  isEventRow,
  type OtherRow,
  recordOf,
  type RecordRow,
  type RequestRows,
} from "./rows.ts";
import { type KnownSeries, minuteOfExemplar } from "./save_metrics.ts";
import { storeRecords } from "./store_records.ts";

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

/** What is written together. */
interface Flush {
  readonly requests: readonly RequestRows[];
  readonly counts: Tallies;
  /** On the clock of `performance.now()`: nobody waits for the result any longer. */
  readonly deadline: number;
  /** Row by row, passing over those that Postgres refuses: slow, but each stands for itself. */
  readonly isSalvage?: boolean;
}

/**
 * Writes requests and counts, in one transaction if Postgres takes them all. If it refuses the data, halves are
 * tried until the request at fault stands alone; of that one the records at fault are counted as `invalid`, the
 * others are stored. Passing trouble (a lost race, a broken connection) is tried again until the deadline.
 *
 * @param progress is told what is durable as soon as it is
 * @throws what `postgres` threw last, when the store stayed unavailable
 */
export async function flushRequests(
  tools: FlushTools,
  flush: Flush,
  progress: Progress,
): Promise<void> {
  const { requests, deadline } = flush;
  try {
    await persist(tools, flush, progress);
  } catch (error) {
    const hasRows = requests.some(({ rows }) => rows.length > 0);
    if (failureOf(error) !== "data" || !hasRows) throw error;
    if (requests.length === 1) {
      await persist(tools, { ...flush, isSalvage: true }, progress);
      warnOfRefused(tools.log, requests, progress.fates, error);
    } else {
      const middle = Math.ceil(requests.length / 2);
      const [first, second] = [requests.slice(0, middle), requests.slice(middle)];
      await flushRequests(tools, { ...flush, requests: first }, progress);
      await flushRequests(tools, { requests: second, counts: new Tallies(), deadline }, progress);
    }
  }
}

async function persist(tools: FlushTools, flush: Flush, progress: Progress): Promise<void> {
  const fates = await untilStored(tools, flush);
  progress.areCountsSaved = true;
  for (const request of flush.requests) {
    progress.done.add(request);
    // A request that was stored before has no fates now: they are those of the first time.
    for (const row of request.rows) progress.fates.set(row, fates.get(row) ?? "stored");
  }
}

async function untilStored(tools: FlushTools, flush: Flush): Promise<Fates> {
  const days = partitionDays(flush.requests);
  for (let attempt = 1;; attempt++) {
    try {
      await ensurePartitions(tools.sql, days);
      return await storeBatch(tools, flush);
    } catch (error) {
      const failure = failureOf(error);
      const pauseMs = Math.min(RETRY_MS.first * 2 ** attempt * Math.random(), RETRY_MS.max);
      const isHopeless = failure === "data" || (failure === "conflict" && attempt > MAX_CONFLICTS);
      if (isHopeless || performance.now() + pauseMs >= flush.deadline) throw error;
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

interface StoreTools {
  readonly sql: Sql;
  readonly values: IssueValues;
  readonly names: NameCaps;
  readonly series: KnownSeries;
}

/** What a transaction did with each row. */
type Fates = ReadonlyMap<RecordRow, Fate>;

/**
 * Writes requests and counts in one transaction: all of it is durable when this returns, none when it throws. A
 * request that was stored before is left alone, counts included. Whatever locks rows takes them in one order (table
 * by table, sorted within), so writers never deadlock.
 */
async function storeBatch(
  tools: StoreTools,
  { requests, counts, deadline, isSalvage = false }: Flush,
): Promise<Fates> {
  const { fates, written } = await commitOnce(tools.sql, deadline, async (tx) => {
    // Sent together. A request that was stored before is looked up in vain, which happens seldom.
    const [fresh, issues] = await Promise.all([
      takeReceipts(tx, requests),
      findIssues(tx, isSalvage ? [] : rowsOf(requests).filter(isEventRow)),
    ]);
    const rows = rowsOf(fresh);
    const result = isSalvage
      ? await salvage(tx, rows, tools)
      : await store(tx, rows, tools, issues);
    await withResults(counts, fresh, result.fates).save(tx);
    return result;
  });
  for (const each of written) tools.values.remember(each);
  tools.series.remember(storedMetrics(fates));
  return fates;
}

/** Metrics that are stored now: their series need not be written again. */
function storedMetrics(fates: Fates): OtherRow<MetricBatch>[] {
  const stored = [...fates].flatMap(([row, fate]) => fate === "stored" ? [row] : []);
  return stored.filter((row): row is OtherRow<MetricBatch> =>
    !isEventRow(row) && row.record.kind === "metrics"
  );
}

function rowsOf(requests: readonly RequestRows[]): RecordRow[] {
  return requests.flatMap(({ rows }) => rows);
}

interface Result {
  readonly fates: Map<RecordRow, Fate>;
  readonly written: readonly NewValues[];
}

async function store(
  tx: Transaction,
  rows: readonly RecordRow[],
  { values, names, series }: StoreTools,
  issues: KnownIssues,
): Promise<Result> {
  const events = rows.filter(isEventRow);
  const others = rows.filter((row): row is OtherRow => !isEventRow(row));
  const filed = await fileEvents(tx, events, issues);
  const written = values.findNew(filed);
  const following = saveWhatFollows(tx, filed, written);
  const tally = new StatTally(names);
  const [storedOthers] = await Promise.all([storeRecords(tx, others, tally, series), ...following]);
  await appendToJournal(tx, tally);
  const stored = new Set<RecordRow>([...filed.map(({ row }) => row), ...storedOthers]);
  const fates = new Map(
    rows.map((row): [RecordRow, Fate] => [row, stored.has(row) ? "stored" : "duplicate"]),
  );
  return { fates, written: [written] };
}

/** Each row under a savepoint of its own. */
async function salvage(
  tx: Transaction,
  rows: readonly RecordRow[],
  tools: StoreTools,
): Promise<Result> {
  const fates = new Map<RecordRow, Fate>();
  const written: NewValues[] = [];
  for (const row of rows) {
    try {
      const result = await tx.savepoint(async (inner) =>
        await store(inner, [row], tools, await findIssues(inner, [row].filter(isEventRow)))
      );
      for (const [each, fate] of result.fates) fates.set(each, fate);
      written.push(...result.written);
    } catch (error) {
      if (failureOf(error) !== "data") throw error;
      fates.set(row, "refused");
    }
  }
  return { fates, written };
}

async function fileEvents(
  tx: Transaction,
  rows: readonly EventRow[],
  issues: KnownIssues,
): Promise<FiledEvent[]> {
  const distinct = firstOfEachKey(rows);
  if (distinct.length === 0) return [];
  const issueIds = await resolveIssues(tx, distinct, issues);
  const filed = distinct.map((row, index) => ({ row, issueId: issueIds[index] ?? "" }));
  return await takeEventIds(tx, filed);
}

function firstOfEachKey(rows: readonly EventRow[]): EventRow[] {
  const seen = new Set<string>();
  return rows.filter(({ key }) => {
    const isFirst = !seen.has(key);
    seen.add(key);
    return isFirst;
  });
}

/** Sent one after the other without waiting: a round trip for all of them. */
function saveWhatFollows(
  tx: Transaction,
  stored: readonly FiledEvent[],
  { tags, users }: NewValues,
): Promise<void>[] {
  if (stored.length === 0) return [];
  const { hours, days, projectHours } = tallyOccurrences(stored);
  return [
    insertEvents(tx, stored),
    saveTags(tx, tags),
    saveIssues(tx, tallyIssues(stored), users),
    saveIssuePeriods(tx, "day", days),
    saveIssuePeriods(tx, "hour", hours),
    saveProjectHours(tx, projectHours),
  ];
}

const KIND_OF_FATE = { stored: "accepted", duplicate: "duplicate", refused: "invalid" } as const;

/** The counts that were waiting, and those of the requests that are stored now. */
function withResults(
  counts: Tallies,
  requests: readonly RequestRows[],
  fates: Fates,
): Tallies {
  const all = new Tallies();
  all.addAll(counts);
  for (const { projectId, rows, outcomes, receipt } of requests) {
    all.outcomes.addAll(outcomes);
    for (const row of rows) {
      const fate = fates.get(row) ?? "duplicate";
      const reason = fate === "refused" ? "refused_by_store" : "";
      const outcome = { ...countOf(recordOf(row)), kind: KIND_OF_FATE[fate], reason };
      all.outcomes.add(projectId, outcome, receipt?.receivedAt.getTime());
    }
  }
  return all;
}

/** Milliseconds for one statement: callers have given up by then, and nothing shall linger behind a lock. */
const STATEMENT_TIMEOUT_MS = 5_000;
const POLL_MS = 100;

interface Work<T> {
  /** The transaction's id, known once only COMMIT is left to do. */
  xid: string;
  result: T;
}

/**
 * Runs a transaction, and knows its fate even when the connection breaks during COMMIT: then Postgres is asked
 * what became of the transaction's id, so that what was committed is not counted a second time.
 *
 * @param deadline on the clock of `performance.now()`: later on nothing is committed
 * @throws {StoreUnavailable} when the work ends after the deadline
 */
async function commitOnce<T>(
  sql: Sql,
  deadline: number,
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  const done: Work<T>[] = [];
  try {
    await sql.begin(async (tx) => {
      const [xid, result] = await Promise.all([prepare(tx), work(tx)]);
      // Nobody waits any more, and what was given up shall not appear later on.
      if (performance.now() >= deadline) {
        throw new StoreUnavailable("Cannot commit: it took too long");
      }
      done.push({ xid, result });
    });
  } catch (error) {
    const [unsure] = done;
    if (unsure === undefined || failureOf(error) !== "unavailable") throw error;
    if (!await wasCommitted(sql, unsure.xid, deadline)) throw error;
  }
  const [finished] = done;
  if (finished === undefined) throw new Error("Cannot commit: the transaction ended early");
  return finished.result;
}

async function prepare(tx: Transaction): Promise<string> {
  const [row] = await tx<{ xid: string }[]>`
    select pg_current_xact_id()::text as xid,
      set_config('statement_timeout', ${String(STATEMENT_TIMEOUT_MS)}, true)
  `;
  return row?.xid ?? "";
}

async function wasCommitted(sql: Sql, xid: string, deadline: number): Promise<boolean> {
  while (performance.now() < deadline) {
    const status = await statusOf(sql, xid);
    if (status === "committed") return true;
    if (status === "aborted") return false;
    // In progress, or still out of reach.
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  return false;
}

async function statusOf(sql: Sql, xid: string): Promise<string | null> {
  try {
    const [row] = await sql<{ status: string | null }[]>`
      select pg_xact_status(${xid}::xid8) as status
    `;
    return row?.status ?? null;
  } catch (error) {
    if (failureOf(error) === "unavailable") return null;
    throw error;
  }
}

const RECEIPT_COLUMNS: Columns<Receipt & { readonly projectId: string }> = {
  project_id: ["bigint", ({ projectId }) => projectId],
  received_at: ["timestamptz", ({ receivedAt }) => receivedAt],
  request_id: ["uuid", ({ requestId }) => requestId],
};

/**
 * Writes the receipts of requests.
 *
 * @returns the requests that were not stored before: only these may be stored now
 */
async function takeReceipts(
  tx: Transaction,
  requests: readonly RequestRows[],
): Promise<RequestRows[]> {
  const receipts = requests.flatMap(({ projectId, receipt }) =>
    receipt === null ? [] : [{ projectId, ...receipt }]
  );
  if (receipts.length === 0) return [...requests];
  const written = await tx<{ requestId: string }[]>`
    insert into receipts (project_id, received_at, request_id)
    select distinct project_id, received_at, request_id
    from ${incoming(tx, receipts, RECEIPT_COLUMNS)}
    order by project_id, received_at, request_id
    on conflict do nothing
    returning request_id as "requestId"
  `;
  if (written.length === requests.length) return [...requests];
  const fresh = new Set(written.map(({ requestId }) => requestId));
  // `delete`: of two that bring the same receipt at once, the first is stored.
  return requests.filter(({ receipt }) => receipt === null || fresh.delete(receipt.requestId));
}

/** The UTC days that the rows and receipts of requests need partitions for. */
function partitionDays(requests: readonly RequestRows[]): Date[] {
  const days = new Set<number>();
  const add = (time: Date) => days.add(Math.floor(time.getTime() / DAY_MS) * DAY_MS);
  for (const { rows, receipt } of requests) {
    if (receipt !== null) add(receipt.receivedAt);
    for (const row of rows) {
      const record = recordOf(row);
      add(record.timestamp);
      // Its spans are counted on the days when they end.
      if (record.kind === "metrics") {
        for (const { exemplars } of record.series) {
          exemplars.forEach(({ timeMs }) => add(minuteOfExemplar(timeMs)));
        }
      }
      if (record.kind === "spans") record.spans.forEach(({ end }) => add(new Date(end * 1000)));
    }
  }
  return [...days].map((day) => new Date(day));
}
