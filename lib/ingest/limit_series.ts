import type { SeriesLimits } from "../metrics/series_limits.ts";
import type { Batch, MetricBatch, Outcome, TelemetryRecord } from "../records/mod.ts";
import { overSeriesLimit } from "../formats/metrics/faults.ts";

/**
 * Takes the series out of `batch` that are more than a project may have, and counts their points as refused, by metric.
 */
export async function limitSeries<B extends Batch>(
  batch: B,
  projectId: string,
  limits: SeriesLimits,
): Promise<B> {
  if (!batch.records.some(({ kind }) => kind === "metrics")) return batch;
  const records: TelemetryRecord[] = [];
  const outcomes: Outcome[] = [...batch.outcomes];
  for (const record of batch.records) {
    if (record.kind !== "metrics") {
      records.push(record);
      continue;
    }
    const { admitted, rejected } = await limits.admit(projectId, record);
    for (const refusal of refusals(rejected)) outcomes.push(refusal);
    if (admitted.length > 0) records.push(withSeries(record, admitted));
  }
  return { ...batch, records, outcomes };
}

function withSeries(record: MetricBatch, series: MetricBatch["series"]): MetricBatch {
  if (series.length === record.series.length) return record;
  return { ...record, series, pointCount: countPoints(series) };
}

function refusals(rejected: MetricBatch["series"]): Outcome[] {
  return [...Map.groupBy(rejected, ({ metric }) => metric.name)].map(([name, series]) => ({
    category: "trace_metric",
    kind: "refused",
    reason: overSeriesLimit(name),
    quantity: countPoints(series),
  }));
}

function countPoints(series: MetricBatch["series"]): number {
  return series.reduce((sum, { points }) => sum + points.length, 0);
}
