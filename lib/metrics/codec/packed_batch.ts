import type { MetricBatch } from "../../records/metric_batch.ts";
import { encodeBatch } from "./batch.ts";
import { idsOf } from "../ids.ts";
import { slotOf } from "../slots.ts";

/** What of a request goes into its row. */
export interface PackedBatch {
  /** Hexadecimal digits. */
  readonly body: string;
  /** Beginnings of the slots that its points lie in. */
  readonly slots: readonly Date[];
  readonly metricIds: readonly string[];
}

const packed = new WeakMap<MetricBatch, PackedBatch>();

/** The points of a request in their packed form, made once. @throws {RangeError} when a time is no date */
export function packedBatch(batch: MetricBatch): PackedBatch {
  let row = packed.get(batch);
  if (row === undefined) {
    const slots = new Set<number>();
    const metricIds = new Set<string>();
    for (const series of batch.series) {
      metricIds.add(idsOf(series).metricId);
      for (const { timeMs } of series.points) slots.add(slotOf(series.metric.kind, timeMs));
    }
    packed.set(
      batch,
      row = {
        body: encodeBatch(batch).toHex(),
        slots: [...slots].map(validDate),
        metricIds: [...metricIds],
      },
    );
  }
  return row;
}

function validDate(timeMs: number): Date {
  const date = new Date(timeMs);
  if (Number.isNaN(date.getTime())) throw new RangeError("Cannot store: invalid time");
  return date;
}
