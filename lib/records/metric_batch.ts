import type { TracePlace } from "./origin.ts";

/** What a metric measures: something that only adds up, a level, or a distribution. */
export type MetricKind = "counter" | "gauge" | "histogram";

/**
 * What a point of a series tells. `cumulative`: the total since its start. `delta`: what was added since its start;
 * a second point at the same time is the same point sent again. `observed`: the same, but each point was an
 * observation of its own, so two at one time both count. Gauges are `level`.
 */
export type Temporality = "cumulative" | "delta" | "observed" | "level";

/** What all series of a metric share. One name may have several kinds and units: they are metrics beside each other. */
export interface Metric {
  readonly name: string;
  readonly kind: MetricKind;
  /** UCUM as `By`, `s`, `1`, `{request}`; `""` when nobody said. Sentry's names (`millisecond`) are translated. */
  readonly unit: string;
  /** Not part of the identity. */
  readonly description: string;
}

export type Label = readonly [key: string, value: string];

/** Buckets `(bounds[i-1], bounds[i]]`; the first begins at −∞, the last, of index `bounds.length`, ends at +∞. */
export interface ExplicitBuckets {
  readonly kind: "explicit";
  /** Strictly ascending, finite. Both lists are empty when only count and sum are known. */
  readonly bounds: readonly number[];
  /** One more than bounds. */
  readonly counts: readonly number[];
}

/** Buckets `(base^i, base^(i+1)]` with `base = 2^(2^-scale)`, sparse, by ascending index. */
export interface ExponentialBuckets {
  readonly kind: "exponential";
  /** -10 to 20. */
  readonly scale: number;
  readonly zeroCount: number;
  readonly zeroThreshold: number;
  readonly positive: SparseCounts;
  /** Of absolute values. */
  readonly negative: SparseCounts;
}

export interface SparseCounts {
  readonly indexes: readonly number[];
  readonly counts: readonly number[];
}

export type Buckets = ExplicitBuckets | ExponentialBuckets;

export interface NumberPoint {
  /** Milliseconds since 1970, may have a fraction. */
  readonly timeMs: number;
  /** 0: unknown. Of gauges always 0. */
  readonly startMs: number;
  /** Finite. */
  readonly value: number;
}

export interface HistogramPoint {
  readonly timeMs: number;
  readonly startMs: number;
  readonly count: number;
  /** Null: the client keeps none. */
  readonly sum: number | null;
  /** Of delta and observed points only, else null. */
  readonly min: number | null;
  readonly max: number | null;
  readonly buckets: Buckets;
}

/** An observation that was kept as an example; only those with a trace are. */
export interface Exemplar extends TracePlace {
  readonly timeMs: number;
  readonly value: number;
}

interface SeriesBase {
  readonly metric: Metric;
  readonly temporality: Temporality;
  /**
   * Sorted by key (by code unit), without repeats. `service`, `environment` and `release` are the scope's three,
   * whatever they were called; absent when unknown.
   */
  readonly labels: readonly Label[];
  readonly exemplars: readonly Exemplar[];
}

export interface NumberSeries extends SeriesBase {
  readonly shape: "number";
  readonly points: readonly NumberPoint[];
}

export interface HistogramSeries extends SeriesBase {
  readonly shape: "histogram";
  readonly points: readonly HistogramPoint[];
}

export type MetricSeries = NumberSeries | HistogramSeries;

export interface SeriesIds {
  /** From 0, below 2^63. */
  readonly metricId: string;
  readonly seriesId: string;
}

/** A series of numbers as decoders know it from request to request: the same object whenever it comes. */
export class SeriesIdentity {
  /** Made by `metrics/ids.ts` when somebody asks. */
  ids: SeriesIds | null = null;
  /** The number of the request that it came in last. */
  request = 0;
  readonly labelCharacters: number;

  constructor(
    readonly metric: Metric,
    readonly temporality: Temporality,
    readonly labels: readonly Label[],
  ) {
    this.labelCharacters = labels.reduce((sum, [key, value]) => sum + key.length + value.length, 0);
  }
}

/** Series in the order in which a request has them: the same object for requests that have the same ones. */
export interface SeriesLayout {
  readonly series: readonly SeriesIdentity[];
}

/** A point of each series of a layout, column by column; fields as {@linkcode NumberPoint} has them. */
export interface NumberColumns {
  readonly layout: SeriesLayout;
  readonly times: Float64Array;
  readonly starts: Float64Array;
  readonly values: Float64Array;
}

/** The series of a batch without an object for each point. */
export interface BatchColumns {
  readonly numbers: NumberColumns;
  /** The series that are not among the numbers. */
  readonly others: readonly MetricSeries[];
}

/** The points of one request. */
export interface MetricBatch {
  readonly kind: "metrics";
  /** 32 lower-case hex digits, the same again for the same request. */
  readonly batchId: string;
  /** Of its earliest point; all points lie within the retention and at most an hour ahead. */
  readonly timestamp: Date;
  readonly receivedAt: Date;
  /** A series stands once in a batch. */
  readonly series: readonly MetricSeries[];
  /** The same series once more, where that is cheaper to handle; then `series` is only made when somebody asks. */
  readonly columns?: BatchColumns;
  /** Of all series together: what the batch counts as. */
  readonly pointCount: number;
}
