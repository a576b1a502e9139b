import { minuteOfExemplar } from "./save_series.ts";
import type { RequestRows } from "./prepare.ts";
import { recordOf } from "./record_row.ts";

const DAY_MS = 86_400_000;

/** The UTC days that the rows and receipts of requests need partitions for. */
export function partitionDays(requests: readonly RequestRows[]): Date[] {
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
