import type {
  Batch,
  HistogramPoint,
  HistogramSeries,
  MetricBatch,
  MetricSeries,
  NumberSeries,
} from "@/lib/records/mod.ts";
import { decodeMetrics, only, outcomesOf, recordsOf } from "./decode_request.ts";
import { attributes, metrics, nanosAt } from "./otlp_samples.ts";

/** A data point of a minute ago, and what `fields` say otherwise. */
export function point(fields: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    startTimeUnixNano: nanosAt(-60_000),
    timeUnixNano: nanosAt(0),
    asDouble: 7,
    attributes: attributes({ route: "/a" }),
    ...fields,
  };
}

/** A cumulative, monotonic sum. */
export function sum(
  dataPoints: readonly unknown[],
  fields: Record<string, unknown> = {},
): Record<string, unknown> {
  return {
    name: "requests",
    unit: "{request}",
    description: "How many",
    sum: { aggregationTemporality: 2, isMonotonic: true, dataPoints, ...fields },
  };
}

/** A cumulative histogram with bounds 1 and 2, and what `fields` say otherwise of its one point. */
export function histogram(
  fields: Record<string, unknown> = {},
  temporality = 2,
): Record<string, unknown> {
  const { asDouble: _, ...common } = point();
  const one = { ...common, count: "6", sum: 8.5, bucketCounts: ["1", "2", "3"], ...fields };
  const dataPoints = [{ explicitBounds: [1, 2], ...one }];
  return {
    name: "took",
    unit: "s",
    histogram: { aggregationTemporality: temporality, dataPoints },
  };
}

/** The same of exponential histograms: scale 2, zero 1, positive 2 and 3 from index 4 on. */
export function exponential(fields: Record<string, unknown> = {}): Record<string, unknown> {
  const { asDouble: _, ...common } = point();
  const dataPoints = [{
    ...common,
    count: "6",
    sum: 20,
    scale: 2,
    zeroCount: "1",
    positive: { offset: 4, bucketCounts: ["2", "0", "3"] },
    negative: {},
    ...fields,
  }];
  return {
    name: "took",
    unit: "s",
    exponentialHistogram: { aggregationTemporality: 2, dataPoints },
  };
}

/** The record of a request. */
export function batchOf(...list: unknown[]): MetricBatch {
  return only(recordsOf(decodeMetrics(metrics(list)), "metrics"));
}

/** The only series of a request of one metric. */
export function seriesOf(metric: unknown): MetricSeries {
  return only(batchOf(metric).series);
}

/** The same where it is of numbers. */
export function numbersOf(metric: unknown): NumberSeries {
  const series = seriesOf(metric);
  if (series.shape !== "number") throw new Error(series.shape);
  return series;
}

/** The same where it is of histograms. */
export function histogramsOf(metric: unknown): HistogramSeries {
  const series = seriesOf(metric);
  if (series.shape !== "histogram") throw new Error(series.shape);
  return series;
}

/** The only point of a histogram. */
export function histogramPointOf(metric: unknown): HistogramPoint {
  return only(histogramsOf(metric).points);
}

/** Why the points of a metric are not taken, as `3 not_finite`. */
export function faultsOf(...list: unknown[]): string[] {
  return outcomesOf(decodeMetrics(metrics(list))).map((line) =>
    line.replace("trace_metric invalid/", "")
  );
}

/** Labels of a series as an object. */
export function labelsOf({ labels }: Pick<MetricSeries, "labels">): Record<string, string> {
  return Object.fromEntries(labels);
}

/** How many points a batch has. */
export function pointsIn(batch: Batch): number {
  return recordsOf(batch, "metrics").reduce((sum, { pointCount }) => sum + pointCount, 0);
}
