/**
 * What both encodings of metrics are read into. Times are in milliseconds since 1970 with microseconds, 0 when unset;
 * ids as in `../model.ts`.
 */

/** `Metric` without its data. */
export interface OtlpMetric {
  name: string;
  description: string;
  unit: string;
}

/** The five forms that data of a metric have. */
export type OtlpForm = "gauge" | "sum" | "histogram" | "exponential" | "summary";

/** What is said of all points of a metric. */
export interface OtlpData {
  readonly form: OtlpForm;
  /** As on the wire: 1 is delta, 2 cumulative, all others are unknown. */
  temporality: number;
  isMonotonic: boolean;
}

/** `Exemplar`. */
export interface OtlpExemplar {
  timeMs: number;
  /** Null when there is none. */
  value: number | null;
  traceId: string;
  spanId: string;
}

/** What points of all forms have. */
export interface OtlpPoint {
  startMs: number;
  timeMs: number;
  /** Bit 0: nothing was recorded. */
  flags: number;
  readonly exemplars: OtlpExemplar[];
}

/** `NumberDataPoint`. */
export interface OtlpNumberPoint extends OtlpPoint {
  /** Null when there is none. */
  value: number | null;
}

/** `HistogramDataPoint`. */
export interface OtlpHistogramPoint extends OtlpPoint {
  count: number;
  sum: number | null;
  min: number | null;
  max: number | null;
  readonly bounds: number[];
  readonly counts: number[];
}

/** `ExponentialHistogramDataPoint.Buckets`. */
export interface OtlpBuckets {
  offset: number;
  readonly counts: number[];
}

/** `ExponentialHistogramDataPoint`. */
export interface OtlpExponentialPoint extends OtlpPoint {
  count: number;
  sum: number | null;
  min: number | null;
  max: number | null;
  scale: number;
  zeroCount: number;
  zeroThreshold: number;
  positive: OtlpBuckets;
  negative: OtlpBuckets;
}

/** `SummaryDataPoint.ValueAtQuantile`. */
export interface OtlpQuantile {
  quantile: number;
  value: number;
}

/** `SummaryDataPoint`. It has no exemplars. */
export interface OtlpSummaryPoint extends OtlpPoint {
  count: number;
  sum: number;
  readonly quantiles: OtlpQuantile[];
}

/** A number of which nothing is read yet. */
export function newNumberPoint(): OtlpNumberPoint {
  return { startMs: 0, timeMs: 0, flags: 0, exemplars: [], value: null };
}

/** A histogram of which nothing is read yet. */
export function newHistogramPoint(): OtlpHistogramPoint {
  return {
    startMs: 0,
    timeMs: 0,
    flags: 0,
    exemplars: [],
    count: 0,
    sum: null,
    min: null,
    max: null,
    bounds: [],
    counts: [],
  };
}

/** An exponential histogram of which nothing is read yet. */
export function newExponentialPoint(): OtlpExponentialPoint {
  return {
    startMs: 0,
    timeMs: 0,
    flags: 0,
    exemplars: [],
    count: 0,
    sum: null,
    min: null,
    max: null,
    scale: 0,
    zeroCount: 0,
    zeroThreshold: 0,
    positive: newBuckets(),
    negative: newBuckets(),
  };
}

/** Buckets of which nothing is read yet. */
export function newBuckets(): OtlpBuckets {
  return { offset: 0, counts: [] };
}

/** A summary of which nothing is read yet. */
export function newSummaryPoint(): OtlpSummaryPoint {
  return { startMs: 0, timeMs: 0, flags: 0, exemplars: [], count: 0, sum: 0, quantiles: [] };
}

/** An exemplar of which nothing is read yet. */
export function newExemplar(): OtlpExemplar {
  return { timeMs: 0, value: null, traceId: "", spanId: "" };
}
