/**
 * What both encodings of metrics are read into, and by which fields. Times are in milliseconds since 1970 with
 * microseconds, 0 when unset; ids as in `model.ts`.
 */
import { type FieldReader, type Message, message } from "./message.ts";
import { LIMITS } from "./request.ts";

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
interface OtlpBuckets {
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
interface OtlpQuantile {
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
function newNumberPoint(): OtlpNumberPoint {
  return { startMs: 0, timeMs: 0, flags: 0, exemplars: [], value: null };
}

/** A histogram of which nothing is read yet. */
function newHistogramPoint(): OtlpHistogramPoint {
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
function newExponentialPoint(): OtlpExponentialPoint {
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
function newBuckets(): OtlpBuckets {
  return { offset: 0, counts: [] };
}

/** A summary of which nothing is read yet. */
function newSummaryPoint(): OtlpSummaryPoint {
  return { startMs: 0, timeMs: 0, flags: 0, exemplars: [], count: 0, sum: 0, quantiles: [] };
}

/** An exemplar of which nothing is read yet. */
function newExemplar(): OtlpExemplar {
  return { timeMs: 0, value: null, traceId: "", spanId: "" };
}

/** How points of one form are read. */
export interface PointForm<T> {
  readonly fields: Message<T>;
  /** The number of the field that has their attributes, which are read apart: most are known by their bytes. */
  readonly attributes: number;
  readonly newPoint: () => T;
}

const EXEMPLAR = message<OtlpExemplar>(
  [2, "timeUnixNano", (exemplar, from) => exemplar.timeMs = from.millis()],
  [3, "asDouble", (exemplar, from) => exemplar.value = from.double() ?? exemplar.value],
  [4, "spanId", (exemplar, from) => exemplar.spanId = from.id(8)],
  [5, "traceId", (exemplar, from) => exemplar.traceId = from.id(16)],
  [6, "asInt", (exemplar, from) => exemplar.value = from.whole() ?? exemplar.value],
);

function addExemplar({ exemplars }: OtlpPoint, from: FieldReader): void {
  if (exemplars.length < LIMITS.exemplars) exemplars.push(from.inner(EXEMPLAR, newExemplar()));
}

/** `NumberDataPoint`. */
export const NUMBER: PointForm<OtlpNumberPoint> = {
  fields: message(
    [2, "startTimeUnixNano", (point, from) => point.startMs = from.millis()],
    [3, "timeUnixNano", (point, from) => point.timeMs = from.millis()],
    [4, "asDouble", (point, from) => point.value = from.double() ?? point.value],
    [5, "exemplars", (point, from) => from.each(addExemplar, point)],
    [6, "asInt", (point, from) => point.value = from.whole() ?? point.value],
    [8, "flags", (point, from) => point.flags = from.uint()],
  ),
  attributes: 7,
  newPoint: newNumberPoint,
};

/** `HistogramDataPoint`. */
export const HISTOGRAM: PointForm<OtlpHistogramPoint> = {
  fields: message(
    [2, "startTimeUnixNano", (point, from) => point.startMs = from.millis()],
    [3, "timeUnixNano", (point, from) => point.timeMs = from.millis()],
    [4, "count", (point, from) => point.count = from.count()],
    [5, "sum", (point, from) => point.sum = from.double()],
    [6, "bucketCounts", (point, from) => from.fixed64s(point.counts)],
    [7, "explicitBounds", (point, from) => from.doubles(point.bounds)],
    [8, "exemplars", (point, from) => from.each(addExemplar, point)],
    [10, "flags", (point, from) => point.flags = from.uint()],
    [11, "min", (point, from) => point.min = from.double()],
    [12, "max", (point, from) => point.max = from.double()],
  ),
  attributes: 9,
  newPoint: newHistogramPoint,
};

const BUCKETS = message<OtlpBuckets>(
  [1, "offset", (buckets, from) => buckets.offset = Math.trunc(from.sint())],
  [2, "bucketCounts", (buckets, from) => from.varints(buckets.counts)],
);

/** `ExponentialHistogramDataPoint`. */
export const EXPONENTIAL: PointForm<OtlpExponentialPoint> = {
  fields: message(
    [2, "startTimeUnixNano", (point, from) => point.startMs = from.millis()],
    [3, "timeUnixNano", (point, from) => point.timeMs = from.millis()],
    [4, "count", (point, from) => point.count = from.count()],
    [5, "sum", (point, from) => point.sum = from.double()],
    [6, "scale", (point, from) => point.scale = from.sint()],
    [7, "zeroCount", (point, from) => point.zeroCount = from.count()],
    [8, "positive", (point, from) => point.positive = from.inner(BUCKETS, newBuckets())],
    [9, "negative", (point, from) => point.negative = from.inner(BUCKETS, newBuckets())],
    [10, "flags", (point, from) => point.flags = from.uint()],
    [11, "exemplars", (point, from) => from.each(addExemplar, point)],
    [12, "min", (point, from) => point.min = from.double()],
    [13, "max", (point, from) => point.max = from.double()],
    [14, "zeroThreshold", (point, from) => point.zeroThreshold = from.double() ?? 0],
  ),
  attributes: 1,
  newPoint: newExponentialPoint,
};

const QUANTILE = message<OtlpQuantile>(
  [1, "quantile", (target, from) => target.quantile = from.double() ?? 0],
  [2, "value", (target, from) => target.value = from.double() ?? 0],
);

function addQuantile({ quantiles }: OtlpSummaryPoint, from: FieldReader): void {
  quantiles.push(from.inner(QUANTILE, { quantile: 0, value: 0 }));
}

/** `SummaryDataPoint`. */
export const SUMMARY: PointForm<OtlpSummaryPoint> = {
  fields: message(
    [2, "startTimeUnixNano", (point, from) => point.startMs = from.millis()],
    [3, "timeUnixNano", (point, from) => point.timeMs = from.millis()],
    [4, "count", (point, from) => point.count = from.count()],
    [5, "sum", (point, from) => point.sum = from.double() ?? 0],
    [6, "quantileValues", (point, from) => from.each(addQuantile, point)],
    [8, "flags", (point, from) => point.flags = from.uint()],
  ),
  attributes: 7,
  newPoint: newSummaryPoint,
};
