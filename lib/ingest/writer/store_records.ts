import type { CheckInFate } from "../../monitors/cron/apply.ts";
import type { Transaction } from "../../store/database.ts";
import { noteLate } from "../../store/search_index/late_rows.ts";
import { insertNew, saveRows } from "../../store/write_rows.ts";
import { appendToJournal } from "../../store/stats/journal.ts";
import { type NameAdmission, StatTally } from "../../store/stats/stat_tally.ts";
import { saveCheckIns } from "./check_ins.ts";
import type { OtherKind, OtherRow, RecordOf } from "./rows.ts";
import { type KnownSeries, saveMetricBatches } from "./save_metrics.ts";
import { type KnownSenders, type NewSenders, saveSpans } from "./save_spans.ts";
import { countSessions, saveSessions, SessionTally } from "./sessions.ts";
import {
  ATTACHMENTS,
  FEEDBACK,
  LOGS,
  PROFILE_TRACES,
  PROFILES,
  tracesIn,
  TRANSACTIONS,
} from "./tables.ts";
import { entryKey, type EntryNames, tallyTransaction } from "./tally_traces.ts";

/** What need not be written again. */
export interface Known {
  readonly series: KnownSeries;
  readonly senders: KnownSenders;
}

export interface StoredRecords {
  readonly stored: readonly OtherRow[];
  readonly checkIns: ReadonlyMap<OtherRow, CheckInFate>;
  /** To be remembered after the commit. */
  readonly senders: NewSenders;
}

/**
 * Writes all records but errors, kind by kind in one order, so that writers never deadlock.
 *
 * @param rows at least one
 * @param names tells which names transactions and spans may be counted by
 * @param known series of metrics and senders of spans that need not be written again
 * @returns the rows that are new, and the check-ins with what became of them; the others are repeats
 */
export async function storeRecords(
  tx: Transaction,
  rows: readonly OtherRow[],
  names: NameAdmission,
  { series, senders }: Known,
): Promise<StoredRecords> {
  const tally = new StatTally(names);
  // Sent one after the other without waiting: a round trip for all of them.
  const checkIns = new Map<OtherRow, CheckInFate>();
  const [spans, ...others] = await Promise.all([
    saveSpans(tx, ofKind(rows, "spans"), entryNames(rows), tally, senders),
    storeTransactions(tx, ofKind(rows, "transaction"), tally),
    storeLogs(tx, ofKind(rows, "log")),
    saveMetricBatches(tx, ofKind(rows, "metrics"), series),
    insertNew(tx, ATTACHMENTS, ofKind(rows, "attachment")),
    storeProfiles(tx, ofKind(rows, "profile")),
    insertNew(tx, FEEDBACK, ofKind(rows, "feedback")),
    updateAll(tx, rows, checkIns),
  ]);
  await appendToJournal(tx, tally);
  return { stored: [...spans.stored, ...others.flat()], checkIns, senders: spans.senders };
}

async function storeTransactions(
  tx: Transaction,
  rows: readonly OtherRow<RecordOf<"transaction">>[],
  tally: StatTally,
): Promise<OtherRow<RecordOf<"transaction">>[]> {
  const stored = await insertNew(tx, TRANSACTIONS, rows);
  for (const { projectId, record } of stored) tallyTransaction(projectId, record, tally);
  await noteLate(tx, "transaction", stored);
  return stored;
}

/** Of one statement, whose making holds up everybody for 5 µs a row. */
const LOGS_A_STATEMENT = 2_000;

/** In several statements when there are many: no two requests have logs in common, so the order of their rows is free. */
async function storeLogs(
  tx: Transaction,
  rows: readonly OtherRow<RecordOf<"log">>[],
): Promise<OtherRow<RecordOf<"log">>[]> {
  const stored: OtherRow<RecordOf<"log">>[] = [];
  for (let from = 0; from < rows.length; from += LOGS_A_STATEMENT) {
    for (const row of await insertNew(tx, LOGS, rows.slice(from, from + LOGS_A_STATEMENT))) {
      stored.push(row);
    }
  }
  await noteLate(tx, "log", stored);
  return stored;
}

function entryNames(rows: readonly OtherRow[]): EntryNames {
  return new Map(
    ofKind(rows, "transaction").map(({ projectId, record }) => [
      entryKey(projectId, record.traceId, record.spanId),
      record.name,
    ]),
  );
}

async function storeProfiles(
  tx: Transaction,
  rows: readonly OtherRow<RecordOf<"profile">>[],
): Promise<OtherRow<RecordOf<"profile">>[]> {
  const stored = await insertNew(tx, PROFILES, rows);
  await saveRows(tx, PROFILE_TRACES, stored.flatMap(tracesIn));
  return stored;
}

/** Check-ins, then sessions: they change rows that are there, and the second never overtakes the first. */
async function updateAll(
  tx: Transaction,
  rows: readonly OtherRow[],
  checkIns: Map<OtherRow, CheckInFate>,
): Promise<OtherRow[]> {
  const counted = ofKind(rows, "sessions");
  const tally = new SessionTally();
  countSessions(counted, tally);
  for (const [row, fate] of await saveCheckIns(tx, ofKind(rows, "check_in"))) {
    checkIns.set(row, fate);
  }
  const updates = await saveSessions(tx, ofKind(rows, "session"), tally);
  return [...updates, ...counted];
}

function ofKind<K extends OtherKind>(rows: readonly OtherRow[], kind: K): OtherRow<RecordOf<K>>[] {
  return rows.filter((row): row is OtherRow<RecordOf<K>> => row.record.kind === kind);
}
