/** Batches of metrics with as little as possible in them, for tests of what is asked of them. */
import type {
  Buckets,
  HistogramPoint,
  HistogramSeries,
  Label,
  Metric,
  MetricBatch,
  MetricSeries,
  NumberSeries,
  Temporality,
} from "../../lib/records/mod.ts";
import type { RawHistograms } from "../../lib/metrics/points.ts";
import { newEventId } from "./error_event.ts";

export type Labels = Readonly<Record<string, string>>;
/** Milliseconds since 1970, and the value there. */
export type TimedValue = readonly [timeMs: number, value: number];

/** A batch as a decoder makes it of one request. */
export function metricBatch(
  series: readonly MetricSeries[],
  receivedAt: Date = new Date(),
): MetricBatch {
  const times = series.flatMap(({ points }) => points.map(({ timeMs }) => timeMs));
  return {
    kind: "metrics",
    batchId: newEventId(),
    timestamp: new Date(times.reduce((least, time) => Math.min(least, time), Infinity)),
    receivedAt,
    series,
    pointCount: times.length,
  };
}

/** @param startMs of all points; 0: unknown */
export function counterSeries(
  name: string,
  labels: Labels,
  values: readonly TimedValue[],
  { temporality = "cumulative", startMs = 0, unit = "{request}" }: {
    temporality?: Temporality;
    startMs?: number;
    unit?: string;
  } = {},
): NumberSeries {
  return {
    shape: "number",
    metric: { name, kind: "counter", unit, description: "" },
    temporality,
    labels: sorted(labels),
    exemplars: [],
    points: values.map(([timeMs, value]) => ({ timeMs, startMs, value })),
  };
}

export function gaugeSeries(
  name: string,
  labels: Labels,
  values: readonly TimedValue[],
  unit = "By",
): NumberSeries {
  return {
    shape: "number",
    metric: { name, kind: "gauge", unit, description: "" },
    temporality: "level",
    labels: sorted(labels),
    exemplars: [],
    points: values.map(([timeMs, value]) => ({ timeMs, startMs: 0, value })),
  };
}

/** Of deltas, each with its buckets; sums are as though everything had been observed at 1. */
export function histogramSeries(
  name: string,
  labels: Labels,
  points:
    readonly (readonly [timeMs: number, buckets: Buckets, fields?: Partial<HistogramPoint>])[],
  metric: Partial<Metric> = {},
): HistogramSeries {
  return {
    shape: "histogram",
    metric: { name, kind: "histogram", unit: "s", description: "", ...metric },
    temporality: "delta",
    labels: sorted(labels),
    exemplars: [],
    points: points.map(([timeMs, buckets, fields]) => {
      const count = countOf(buckets);
      return { timeMs, startMs: 0, count, sum: count, min: null, max: null, buckets, ...fields };
    }),
  };
}

/** Points of a histogram in columns, as they are stored. */
export function rawHistograms(
  seriesId: string,
  temporality: Temporality,
  points: readonly HistogramPoint[],
): RawHistograms {
  return {
    shape: "histogram",
    seriesId,
    temporality,
    times: Float64Array.from(points, ({ timeMs }) => timeMs),
    starts: Float64Array.from(points, ({ startMs }) => startMs),
    values: points.map(({ timeMs: _, startMs: __, ...histogram }) => histogram),
  };
}

/** Buckets with bounds. */
export function explicitBuckets(bounds: readonly number[], counts: readonly number[]): Buckets {
  return { kind: "explicit", bounds, counts };
}

function countOf(buckets: Buckets): number {
  const counts = buckets.kind === "explicit"
    ? buckets.counts
    : [buckets.zeroCount, ...buckets.positive.counts, ...buckets.negative.counts];
  return counts.reduce((sum, count) => sum + count, 0);
}

function sorted(labels: Labels): Label[] {
  return Object.entries(labels).sort(([some], [other]) => some < other ? -1 : 1);
}
