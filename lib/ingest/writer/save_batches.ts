import { toArrayLiteral } from "../../store/array_types.ts";
import type { Transaction } from "../../store/database.ts";
import type { MetricBatch } from "../../records/metric_batch.ts";
import { insertNew, type InsertOnly } from "./insert_new.ts";
import type { OtherRow } from "./record_row.ts";
import type { KnownSeries } from "./known_series.ts";
import { packedBatch } from "../../metrics/codec/packed_batch.ts";
import { saveExemplars, saveSeries } from "./save_series.ts";

type Row = OtherRow<MetricBatch>;

const METRIC_BATCHES: InsertOnly<Row> = {
  table: "metric_batches",
  id: "batch_id",
  idOf: ({ record }) => record.batchId,
  key: ["received_at", "batch_id"],
  columns: [
    { name: "received_at", type: "timestamptz", value: ({ record }) => record.receivedAt },
    { name: "batch_id", type: "uuid", value: ({ record }) => record.batchId },
    {
      name: "slots",
      type: "timestamptz[]",
      value: ({ record }) => toArrayLiteral(packedBatch(record).slots),
    },
    {
      name: "metric_ids",
      type: "bigint[]",
      value: ({ record }) => toArrayLiteral(packedBatch(record).metricIds),
    },
    { name: "points", type: "integer", value: ({ record }) => record.pointCount },
    { name: "body", type: "hex", value: ({ record }) => packedBatch(record).body },
  ],
};

/**
 * Writes the points of requests, which wait for {@link ../compact} from then on, and the series that are not known.
 *
 * @returns the rows that are new; the others are repeats
 */
export async function saveMetricBatches(
  tx: Transaction,
  rows: readonly Row[],
  known: KnownSeries,
): Promise<Row[]> {
  const stored = await insertNew(tx, METRIC_BATCHES, rows);
  await Promise.all([saveSeries(tx, known.findNew(stored)), saveExemplars(tx, stored)]);
  return stored;
}
