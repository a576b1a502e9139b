import type { Transaction } from "../../store/database.ts";
import type { KnownSeries } from "./known_series.ts";
import { saveMetricBatches } from "./save_batches.ts";
import { insertNew, type InsertOnly } from "./insert_new.ts";
import {
  ATTACHMENTS,
  FEEDBACK,
  LOGS,
  PROFILES,
  SPAN_BATCHES,
  TRANSACTIONS,
} from "./insert_only_tables.ts";
import type { OtherKind, OtherRow, RecordOf } from "./record_row.ts";
import { saveCheckIns } from "./check_ins.ts";
import { countSessions, saveSessions } from "./save_sessions.ts";
import { withoutKnownSpans } from "./known_spans.ts";
import { withPageNames } from "./page_names.ts";
import { SessionTally } from "./session_tally.ts";
import { saveProfileTraces } from "./save_profile_traces.ts";
import { saveSpanSources } from "./span_source.ts";
import type { StatTally } from "../../store/stats/stat_tally.ts";
import { entryKey, type EntryNames, tallySpans, tallyTransaction } from "./tally_traces.ts";

/**
 * Writes all records but errors, kind by kind in one order, so that writers never deadlock.
 *
 * @param tally is told of transactions and spans that are new
 * @param known series of metrics that need not be written again
 * @returns the rows that are new; the others are repeats
 */
export async function storeRecords(
  tx: Transaction,
  rows: readonly OtherRow[],
  tally: StatTally,
  known: KnownSeries,
): Promise<OtherRow[]> {
  if (rows.length === 0) return [];
  // Sent one after the other without waiting: a round trip for all of them.
  const stored: OtherRow[][] = await Promise.all([
    some(ofKind(rows, "transaction"), (some) => storeTransactions(tx, some, tally)),
    some(ofKind(rows, "spans"), (some) => storeSpans(tx, some, entryNames(rows), tally)),
    insertAll(tx, LOGS, ofKind(rows, "log")),
    some(ofKind(rows, "metrics"), (some) => saveMetricBatches(tx, some, known)),
    insertAll(tx, ATTACHMENTS, ofKind(rows, "attachment")),
    some(ofKind(rows, "profile"), (some) => storeProfiles(tx, some)),
    insertAll(tx, FEEDBACK, ofKind(rows, "feedback")),
    updateAll(tx, rows),
  ]);
  return stored.flat();
}

async function storeTransactions(
  tx: Transaction,
  rows: readonly OtherRow<RecordOf<"transaction">>[],
  tally: StatTally,
): Promise<OtherRow<RecordOf<"transaction">>[]> {
  const stored = await insertNew(tx, TRANSACTIONS, rows);
  for (const { projectId, record } of stored) tallyTransaction(projectId, record, tally);
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

/** Spans that are stored already, in another batch, are neither stored nor counted again. */
async function storeSpans(
  tx: Transaction,
  rows: readonly OtherRow<RecordOf<"spans">>[],
  names: EntryNames,
  tally: StatTally,
): Promise<OtherRow<RecordOf<"spans">>[]> {
  const named = await withPageNames(tx, rows);
  const sent = await withoutKnownSpans(tx, named);
  const fresh = [...sent.keys()];
  if (fresh.length === 0) return [];
  const [stored] = await Promise.all([
    insertNew(tx, SPAN_BATCHES, fresh),
    saveSpanSources(tx, fresh),
  ]);
  for (const { projectId, record } of stored) tallySpans(projectId, record, names, tally);
  const original = new Map(named.map((row, place) => [row, rows[place]]));
  return stored.flatMap((row) => original.get(sent.get(row) ?? row) ?? []);
}

async function storeProfiles(
  tx: Transaction,
  rows: readonly OtherRow<RecordOf<"profile">>[],
): Promise<OtherRow<RecordOf<"profile">>[]> {
  const stored = await insertNew(tx, PROFILES, rows);
  await saveProfileTraces(tx, stored);
  return stored;
}

/** Check-ins, then sessions: they change rows that are there, and the second never overtakes the first. */
async function updateAll(tx: Transaction, rows: readonly OtherRow[]): Promise<OtherRow[]> {
  const counted = ofKind(rows, "sessions");
  const tally = new SessionTally();
  countSessions(counted, tally);
  const checkIns = await some(ofKind(rows, "check_in"), (some) => saveCheckIns(tx, some));
  const updates = await saveSessions(tx, ofKind(rows, "session"), tally);
  return [...checkIns, ...updates, ...counted];
}

function ofKind<K extends OtherKind>(rows: readonly OtherRow[], kind: K): OtherRow<RecordOf<K>>[] {
  return rows.filter((row): row is OtherRow<RecordOf<K>> => row.record.kind === kind);
}

function insertAll<R extends OtherRow>(
  tx: Transaction,
  table: InsertOnly<R>,
  rows: readonly R[],
): Promise<R[]> {
  return some(rows, (some) => insertNew(tx, table, some));
}

/** Nothing is asked of Postgres for kinds that did not come. */
function some<R>(
  rows: readonly R[],
  store: (rows: readonly R[]) => Promise<R[]>,
): Promise<R[]> {
  return rows.length === 0 ? Promise.resolve([]) : store(rows);
}
