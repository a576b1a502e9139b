/** Writes what is taken from the queue in one transaction, and tries again where trouble passes. */
import { failureOf } from "../../core/errors.ts";
import type { Logger } from "../../core/log.ts";
import { DAY_MS } from "../../core/time.ts";
import type { MetricBatch } from "../../records/mod.ts";
import { commitOnce, type Sql, type Transaction } from "../../store/database.ts";
import { ensurePartitions } from "../../store/partitions.ts";
import { isSharded } from "../../store/sharding.ts";
import type { NameCaps } from "../../store/stats/name_caps.ts";
import { isByValue, saveRows, sendByValue } from "../../store/write_rows.ts";
import type { Tallies } from "./counts.ts";
import type { NewValues } from "./events.ts";
import { type Fate, type Fates, fatesOf, withResults } from "./fates.ts";
import { countDiscarded, IssuesGone, rebindHashes } from "./gone_issues.ts";
import { findIssues, type KnownIssues } from "./known_issues.ts";
import { emptyMemory, type WriterMemory } from "./memory.ts";
import { type KnownReleases, RELEASES } from "./releases.ts";
import { areReceived, EventsRepeated, type Repeats, takeReceipts } from "./repeats.ts";
import { isEventRow, type OtherRow, recordOf, type RecordRow, type RequestRows } from "./rows.ts";
import { minuteOfExemplar } from "./save_metrics.ts";
import type { NewSenders } from "./save_spans.ts";
import { droppedRows, fileEvents, saveWhatFollows, settleIssues } from "./store_events.ts";
import { storeRecords } from "./store_records.ts";
import type { Suspects } from "./suspects.ts";
import type { TagSet } from "./tag_sets.ts";

/** What a flush has achieved so far, also when it fails later. */
export interface Progress {
  readonly fates: Map<RecordRow, Fate>;
  /** Requests that are durable, those without rows among them. */
  readonly done: Set<RequestRows>;
  /** Requests that are not stored and never will be, by themselves, with the SQLSTATE or `""`. */
  readonly unstorable: Map<RequestRows, string>;
  /** Told after each part of a batch that is written in parts: nobody waits for the trouble of others. */
  readonly onPart: () => void;
  areCountsSaved: boolean;
}

export interface FlushTools {
  readonly sql: Sql;
  readonly log: Logger;
  /** Another one when what it knows may no longer be true. */
  memory: WriterMemory;
  readonly names: NameCaps;
  readonly repeats: Repeats;
  readonly suspects: Suspects;
  /** Milliseconds for one statement: callers have given up by then, and nothing shall linger behind a lock. */
  readonly statementTimeoutMs: number;
}

const MAX_CONFLICTS = 5;
const RETRY_MS = { first: 50, max: 800 };
/** What looks hopeless may have met a change of the tables; of projects that are suspects nobody expects that. */
const MAX_TRIES_ALONE = 2;

/** What is written together. */
export interface Flush {
  readonly requests: readonly RequestRows[];
  readonly counts: Tallies;
  /** On the clock of `performance.now()`: nobody waits for the result any longer. */
  readonly deadline: number;
  /** Row by row, passing over those that Postgres refuses: slow, but each stands for itself. */
  readonly isSalvage?: boolean;
}

/**
 * Writes requests and counts in one transaction. Passing trouble is tried again until the deadline.
 *
 * @param progress is told what is durable as soon as it is
 * @throws what `postgres` threw last: nothing is stored then
 */
export async function persist(tools: FlushTools, flush: Flush, progress: Progress): Promise<void> {
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
  let areNew = !tools.repeats.areLikely;
  for (let attempt = 1;; attempt++) {
    try {
      await ensurePartitions(tools.sql, days);
      return await storeBatch(tools, flush, { areNew, sendsByValue: await isSharded(tools.sql) });
    } catch (error) {
      if (error instanceof EventsRepeated) {
        tools.repeats.note();
        areNew = false;
        continue;
      }
      const failure = failureOf(error);
      // A worker of Citus may have been replaced, of whose connections the pool knows nothing.
      if (failure === "unavailable") tools.memory = emptyMemory();
      const pauseMs = Math.min(RETRY_MS.first * 2 ** attempt * Math.random(), RETRY_MS.max);
      const isHopeless = failure === "data" ||
        (failure === "conflict" && attempt > MAX_CONFLICTS) ||
        (failure === "statement" && attempt >= triesOf(flush, tools));
      if (isHopeless || performance.now() + pauseMs >= flush.deadline) throw error;
      if (error instanceof IssuesGone) await rebindHashes(tools.sql, error);
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }
}

function triesOf({ requests: [first, ...others] }: Flush, { suspects }: FlushTools): number {
  const isExpected = first === undefined || others.length > 0 || suspects.has(first.projectId);
  return isExpected ? 1 : MAX_TRIES_ALONE;
}

/** What tells which parts of rows are written. */
type Known = WriterMemory & { readonly names: NameCaps };

interface Manner {
  /** No event is expected to be stored already: it is learnt with the last statements, which is a round trip less. */
  readonly areNew: boolean;
  readonly sendsByValue: boolean;
}

/**
 * Writes requests and counts in one transaction: all of it is durable when this returns, none when it throws. A
 * request that was stored before is left alone, counts included. Whatever locks rows takes them in one order (table
 * by table, sorted within), so writers never deadlock.
 *
 * @throws {EventsRepeated} when they were expected to be new, and some are stored already
 */
async function storeBatch(
  tools: FlushTools,
  { requests, counts, deadline, isSalvage = false }: Flush,
  { areNew, sendsByValue }: Manner,
): Promise<Fates> {
  const { sql, statementTimeoutMs, memory, names } = tools;
  const known = { ...memory, names };
  const { fates, written, releases, senders, tagSets } = await commitOnce({
    ...{ sql, statementTimeoutMs, deadline },
    work: async (tx) => {
      if (sendsByValue) sendByValue(tx);
      // Sent together. A request that was stored before is looked up in vain, which happens seldom.
      const [fresh, issues] = await Promise.all([
        takeReceipts(tx, requests),
        findIssues(tx, isSalvage ? [] : rowsOf(requests).filter(isEventRow)),
      ]);
      const rows = rowsOf(fresh);
      const count = (fates: Fates) => withResults(counts, fresh, fates).save(tx);
      if (!isSalvage) {
        return { fresh, ...await store(tx, rows, known, { issues, count, areNew }) };
      }
      const result = await salvage(tx, rows, known);
      await count(result.fates);
      return { fresh, ...result };
    },
    isThere: ({ fresh }) => areReceived(sql, fresh),
  });
  for (const each of written) memory.values.remember(each);
  memory.releases.remember(releases);
  for (const each of senders) memory.senders.remember(each);
  memory.tagSets.remember(tagSets);
  const metrics = storedMetrics(fates);
  if (metrics.length > 0) memory.series.remember(metrics);
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
  readonly releases: ReturnType<KnownReleases["findNew"]>;
  readonly senders: readonly NewSenders[];
  readonly tagSets: readonly TagSet[];
}

interface Step {
  readonly issues: KnownIssues;
  readonly areNew: boolean;
  /** Writes what became of the rows. */
  readonly count: (fates: Fates) => Promise<void>;
}

async function store(
  tx: Transaction,
  rows: readonly RecordRow[],
  { values, tagSets, releases, names, ...known }: Known,
  { issues, areNew, count }: Step,
): Promise<Result> {
  const events = rows.filter(isEventRow);
  const heard = releases.findNew(rows);
  await saveRows(tx, RELEASES, heard);
  const { filed, packed, discarded, proven } = await fileEvents(tx, events, issues, areNew);
  const dropped = droppedRows(rows, discarded);
  const others = rows.filter((row): row is OtherRow => !isEventRow(row) && !dropped.has(row));
  const written = values.findNew(filed);
  const split = tagSets.split(filed);
  // Of events it is known by now what becomes of each: their counts go along, which is a round trip less.
  const early = others.length === 0 ? fatesOf(rows, { filed, dropped, others: null }) : null;
  const [storedOthers, touched] = await Promise.all([
    others.length === 0 ? null : storeRecords(tx, others, names, known),
    saveWhatFollows(tx, filed, { packed, split, written }),
    countDiscarded(tx, discarded),
    early === null ? null : count(early),
    proven,
  ]).catch(async (error) => {
    // Whether events came again is answered first, and what such events break is no news.
    await proven;
    throw error;
  });
  if (touched.length > 0) await settleIssues(tx, touched, filed);
  const fates = early ?? fatesOf(rows, { filed, dropped, others: storedOthers });
  if (early === null) await count(fates);
  const senders = storedOthers === null ? [] : [storedOthers.senders];
  return { fates, written: [written], releases: heard, senders, tagSets: split.sets };
}

/** Each row under a savepoint of its own. */
async function salvage(
  tx: Transaction,
  rows: readonly RecordRow[],
  known: Known,
): Promise<Result> {
  const fates = new Map<RecordRow, Fate>();
  const written: NewValues[] = [];
  const releases: Result["releases"] = [];
  const senders: NewSenders[] = [];
  const tagSets: TagSet[] = [];
  for (const row of rows) {
    try {
      const result = await tx.savepoint(async (inner) => {
        if (isByValue(tx)) sendByValue(inner);
        return await store(inner, [row], known, {
          issues: await findIssues(inner, [row].filter(isEventRow)),
          areNew: false,
          count: async () => {},
        });
      });
      for (const [each, fate] of result.fates) fates.set(each, fate);
      written.push(...result.written);
      releases.push(...result.releases);
      senders.push(...result.senders);
      tagSets.push(...result.tagSets);
    } catch (error) {
      if (failureOf(error) !== "data") throw error;
      fates.set(row, "refused");
    }
  }
  return { fates, written, releases, senders, tagSets };
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
        for (const { exemplars } of record.columns?.others ?? record.series) {
          exemplars.forEach(({ timeMs }) => add(minuteOfExemplar(timeMs)));
        }
      }
      if (record.kind === "spans") record.spans.forEach(({ end }) => add(new Date(end * 1000)));
    }
  }
  return [...days].map((day) => new Date(day));
}
