import type { RequestRows } from "./prepare.ts";
import { recordOf } from "./record_row.ts";

const DAY_MS = 86_400_000;

/** The UTC days that the rows and receipts of requests need partitions for. */
export function partitionDays(requests: readonly RequestRows[]): Date[] {
  const days = new Set<number>();
  const add = (time: Date) => days.add(Math.floor(time.getTime() / DAY_MS) * DAY_MS);
  for (const { rows, receipt } of requests) {
    if (receipt !== null) add(receipt.receivedAt);
    for (const row of rows) add(recordOf(row).timestamp);
  }
  return [...days].map((day) => new Date(day));
}
