/** Notes that rows have come, or gone, of a time of which a segment may be there already. */
import { HOUR_MS, MINUTE_MS } from "../../core/time.ts";
import type { Transaction } from "../database.ts";
import { floorTo } from "../query_limits.ts";
import { saveRows, type Table } from "../write_rows.ts";

/** What has segments. */
export type IndexName = "log" | "transaction";

/** Rows that are older when they are stored are late. */
export const LATE_MS = 5 * MINUTE_MS;

interface Mark {
  readonly projectId: string;
  readonly name: IndexName;
  readonly hour: Date;
}

const LATE_ROWS: Table<Mark> = {
  name: "late_rows",
  key: [],
  columns: {
    table: ["text", ({ name }) => name],
    hour: ["timestamptz", ({ hour }) => hour],
  },
};

/** Notes, in the transaction that stores them, the hours of rows that are late. Costs nothing when none is. */
export async function noteLate(
  tx: Transaction,
  name: IndexName,
  rows: readonly { readonly projectId: string; readonly record: { readonly timestamp: Date } }[],
): Promise<void> {
  const before = Date.now() - LATE_MS;
  const marks = new Map<string, Mark>();
  for (const { projectId, record: { timestamp } } of rows) {
    if (timestamp.getTime() >= before) continue;
    const hour = floorTo(HOUR_MS, timestamp);
    marks.set(`${projectId}/${hour.getTime()}`, { projectId, name, hour });
  }
  await saveRows(tx, LATE_ROWS, [...marks.values()]);
}
