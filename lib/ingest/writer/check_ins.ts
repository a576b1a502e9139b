import {
  applyCheckIn,
  type CheckInFate,
  lockMonitor,
  refuseMonitor,
} from "../../monitors/cron/apply.ts";
import type { Transaction } from "../../store/database.ts";
import { nameOf } from "../../store/values.ts";
import { compareKeys, type OtherRow, type RecordOf } from "./rows.ts";

type CheckInRow = OtherRow<RecordOf<"check_in">>;

/**
 * Applies check-ins, those of one monitor in the order in which they came: beginning and end of a run arrive within
 * milliseconds and by different connections. Monitors are locked in one order, so that writers never deadlock.
 *
 * @returns what became of each
 */
export async function saveCheckIns(
  tx: Transaction,
  rows: readonly CheckInRow[],
): Promise<Map<CheckInRow, CheckInFate>> {
  const fates = new Map<CheckInRow, CheckInFate>();
  const byMonitor = Map.groupBy(rows, monitorOf);
  for (const key of [...byMonitor.keys()].sort(compareKeys)) {
    await saveOfMonitor(tx, byMonitor.get(key) ?? [], fates);
  }
  return fates;
}

async function saveOfMonitor(
  tx: Transaction,
  rows: readonly CheckInRow[],
  fates: Map<CheckInRow, CheckInFate>,
): Promise<void> {
  const sorted = rows.toSorted((a, b) => compareKeys(orderOf(a), orderOf(b)));
  const [first] = sorted;
  if (first === undefined) return;
  const { projectId, record } = first;
  const monitor = await lockMonitor(tx, projectId, nameOf(record.monitorSlug), record.receivedAt);
  if (monitor === null) {
    // Of many that find no room, one tells it.
    const fate = await refuseMonitor(tx, projectId, record);
    for (const row of sorted) fates.set(row, fate);
    return;
  }
  for (const row of sorted) fates.set(row, await applyCheckIn(tx, monitor, row.record));
}

/** NUL stands in no name: `a/1` and `a` are apart. */
function monitorOf({ projectId, record }: CheckInRow): string {
  return `${projectId}\0${nameOf(record.monitorSlug)}`;
}

/** A beginning goes before an end of the same moment. */
function orderOf({ record: { timestamp, receivedAt, status } }: CheckInRow): string {
  const rank = status === "in_progress" ? 0 : 1;
  return `${receivedAt.toISOString()} ${timestamp.toISOString()} ${rank}`;
}
