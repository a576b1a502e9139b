import type { Sql, Transaction } from "../../store/database.ts";
import type { KnownSeries } from "./known_series.ts";
import { countOf, type MetricBatch } from "../../records/mod.ts";
import { failureOf } from "../../core/store_errors.ts";
import { commitOnce } from "./commit_once.ts";
import type { EventRow } from "./event_row.ts";
import type { Fate } from "./flush.ts";
import { type FiledEvent, insertEvents, takeEventIds } from "./insert_events.ts";
import { tallyIssues, tallyOccurrences } from "./issue_tally.ts";
import { type IssueValues, type NewValues, saveTags } from "./issue_values.ts";
import type { RequestRows } from "./prepare.ts";
import { takeReceipts } from "./receipts.ts";
import { isEventRow, type OtherRow, recordOf, type RecordRow } from "./record_row.ts";
import { findIssues, type KnownIssues, resolveIssues } from "./resolve_issues.ts";
import { saveIssueDays, saveIssueHours, saveIssues, saveProjectHours } from "./save_tallies.ts";
import type { NameCaps } from "../../store/stats/name_caps.ts";
import { appendToJournal } from "../../store/stats/stat_journal.ts";
import { StatTally } from "../../store/stats/stat_tally.ts";
import { storeRecords } from "./store_records.ts";
import { Tallies } from "./tallies.ts";

export interface StoreTools {
  readonly sql: Sql;
  readonly values: IssueValues;
  readonly names: NameCaps;
  readonly series: KnownSeries;
}

/** What a transaction did with each row. */
export type Fates = ReadonlyMap<RecordRow, Fate>;

/**
 * Writes requests and counts in one transaction: all of it is durable when this returns, none when it throws. A
 * request that was stored before is left alone, counts included. Whatever locks rows takes them in one order (table
 * by table, sorted within), so writers never deadlock.
 *
 * @param deadline on the clock of `performance.now()`, after which nobody waits for the result
 * @param isSalvage row by row, passing over those that Postgres refuses: slow, but each stands for itself
 */
export async function storeBatch(
  tools: StoreTools,
  requests: readonly RequestRows[],
  counts: Tallies,
  deadline: number,
  isSalvage = false,
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
  tools.series.remember([...fates].flatMap(storedMetrics));
  return fates;
}

function storedMetrics([row, fate]: [RecordRow, Fate]): OtherRow<MetricBatch>[] {
  return fate === "stored" && !isEventRow(row) && isMetricRow(row) ? [row] : [];
}

function isMetricRow(row: OtherRow): row is OtherRow<MetricBatch> {
  return row.record.kind === "metrics";
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
  return rows.filter(({ key }) => seen.size < seen.add(key).size);
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
    saveIssueDays(tx, days),
    saveIssueHours(tx, hours),
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
