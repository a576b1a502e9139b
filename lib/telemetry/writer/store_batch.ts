import type { Sql, Transaction } from "../database.ts";
import { commitOnce } from "./commit_once.ts";
import { categoryOf, type EventRow } from "./event_row.ts";
import { type FiledEvent, insertEvents, takeEventIds } from "./insert_events.ts";
import { tallyIssues, tallyOccurrences } from "./issue_tally.ts";
import { type IssueValues, type NewValues, saveTags } from "./issue_values.ts";
import { OutcomeTally, saveOutcomes } from "./outcome_tally.ts";
import { resolveIssues } from "./resolve_issues.ts";
import { saveIssueDays, saveIssueHours, saveIssues, saveProjectHours } from "./save_tallies.ts";

/**
 * Writes events and outcomes in one transaction: all of it is durable when this returns, none when it throws.
 * Whatever locks rows takes them in one order (table by table, sorted within), so writers never deadlock.
 *
 * @param deadline milliseconds since the epoch, after which nobody waits for the result
 * @returns the rows that were stored; the others are repeats of stored events
 */
export async function storeBatch(
  sql: Sql,
  rows: readonly EventRow[],
  outcomes: OutcomeTally,
  values: IssueValues,
  deadline: number,
): Promise<ReadonlySet<EventRow>> {
  const { stored, written } = await commitOnce(sql, deadline, async (tx) => {
    const stored = await store(tx, rows);
    const written = values.findNew(stored);
    await Promise.all([
      ...saveWhatFollows(tx, stored, written),
      saveOutcomes(tx, withResults(outcomes, rows, stored).counts),
    ]);
    return { stored, written };
  });
  values.remember(written);
  return new Set(stored.map(({ row }) => row));
}

async function store(tx: Transaction, rows: readonly EventRow[]): Promise<FiledEvent[]> {
  const distinct = firstOfEachKey(rows);
  if (distinct.length === 0) return [];
  const issueIds = await resolveIssues(tx, distinct);
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

function withResults(
  outcomes: OutcomeTally,
  rows: readonly EventRow[],
  stored: readonly FiledEvent[],
): OutcomeTally {
  const all = new OutcomeTally();
  all.addAll(outcomes);
  const storedRows = new Set(stored.map(({ row }) => row));
  for (const row of rows) {
    const kind = storedRows.has(row) ? "accepted" : "duplicate";
    all.add(row.projectId, { category: categoryOf(row.event), kind, reason: "", quantity: 1 });
  }
  return all;
}
