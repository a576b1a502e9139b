import { asObject, type Raw } from "../fields.ts";
import { field, idOf, numberOf, objectsIn, uintOf } from "./fields.ts";
import { LIMITS } from "./limits.ts";
import { microsOf } from "./text.ts";
import {
  newBuckets,
  newExemplar,
  newExponentialPoint,
  newHistogramPoint,
  newNumberPoint,
  newSummaryPoint,
  type OtlpBuckets,
  type OtlpExemplar,
  type OtlpExponentialPoint,
  type OtlpHistogramPoint,
  type OtlpNumberPoint,
  type OtlpPoint,
  type OtlpSummaryPoint,
} from "./metrics_model.ts";

/** Reads a `NumberDataPoint`. */
export function readNumberPoint(raw: Raw): OtlpNumberPoint {
  const point = readCommon(newNumberPoint(), raw);
  point.value = valueIn(raw);
  return point;
}

/** Reads a `HistogramDataPoint`. */
export function readHistogramPoint(raw: Raw): OtlpHistogramPoint {
  const point = readCommon(newHistogramPoint(), raw);
  readTotals(point, raw);
  addNumbers(point.counts, field(raw, "bucketCounts"));
  addNumbers(point.bounds, field(raw, "explicitBounds"));
  return point;
}

/** Reads an `ExponentialHistogramDataPoint`. */
export function readExponentialPoint(raw: Raw): OtlpExponentialPoint {
  const point = readCommon(newExponentialPoint(), raw);
  readTotals(point, raw);
  point.scale = numberOf(raw.scale) ?? 0;
  point.zeroCount = numberOf(field(raw, "zeroCount")) ?? 0;
  point.zeroThreshold = numberOf(field(raw, "zeroThreshold")) ?? 0;
  point.positive = bucketsOf(raw.positive);
  point.negative = bucketsOf(raw.negative);
  return point;
}

/** Reads a `SummaryDataPoint`. */
export function readSummaryPoint(raw: Raw): OtlpSummaryPoint {
  const point = readCommon(newSummaryPoint(), raw);
  point.count = numberOf(raw.count) ?? 0;
  point.sum = numberOf(raw.sum) ?? 0;
  for (const each of objectsIn(field(raw, "quantileValues"))) {
    const { quantile, value } = each;
    point.quantiles.push({ quantile: numberOf(quantile) ?? 0, value: numberOf(value) ?? 0 });
  }
  return point;
}

function readCommon<T extends OtlpPoint>(point: T, raw: Raw): T {
  point.startMs = millisOf(field(raw, "startTimeUnixNano"));
  point.timeMs = millisOf(field(raw, "timeUnixNano"));
  point.flags = uintOf(raw.flags);
  for (const each of objectsIn(raw.exemplars).slice(0, LIMITS.exemplars)) {
    point.exemplars.push(readExemplar(each));
  }
  return point;
}

function readTotals(point: OtlpHistogramPoint | OtlpExponentialPoint, raw: Raw): void {
  point.count = numberOf(raw.count) ?? 0;
  point.sum = numberOf(raw.sum);
  point.min = numberOf(raw.min);
  point.max = numberOf(raw.max);
}

function readExemplar(raw: Raw): OtlpExemplar {
  const exemplar = newExemplar();
  exemplar.timeMs = millisOf(field(raw, "timeUnixNano"));
  exemplar.value = valueIn(raw);
  exemplar.traceId = idOf(field(raw, "traceId"), 16);
  exemplar.spanId = idOf(field(raw, "spanId"), 8);
  return exemplar;
}

/** The last of both holds, as with all fields that exclude each other; null when there is none. */
function valueIn(raw: Raw): number | null {
  let value: number | null = null;
  for (const name in raw) {
    if (name === "asDouble" || name === "as_double" || name === "asInt" || name === "as_int") {
      value = numberOf(raw[name]) ?? value;
    }
  }
  return value;
}

function bucketsOf(sent: unknown): OtlpBuckets {
  const raw = asObject(sent) ?? {};
  const buckets = newBuckets();
  buckets.offset = Math.trunc(numberOf(raw.offset) ?? 0);
  addNumbers(buckets.counts, field(raw, "bucketCounts"));
  return buckets;
}

/** What is no number among numbers is NaN, which no check lets pass. Of lists that are too long one more than allowed. */
function addNumbers(list: number[], sent: unknown): void {
  if (!Array.isArray(sent)) return;
  for (const each of sent.slice(0, LIMITS.numbers + 1)) {
    if (each !== null) list.push(numberOf(each) ?? NaN);
  }
}

function millisOf(sent: unknown): number {
  return microsOf(numberOf(sent) ?? 0) / 1000;
}
