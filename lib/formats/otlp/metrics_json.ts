import { asObject, type Raw, readBoolean } from "../fields.ts";
import {
  enumOf,
  field,
  idOf,
  numberOf,
  objectsIn,
  parseRequest,
  readAttributes,
  textOf,
  uintOf,
} from "./json.ts";
import type { MetricTaker, PointSink, ScopeTaker } from "./metric_taker.ts";
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
  type OtlpForm,
  type OtlpHistogramPoint,
  type OtlpNumberPoint,
  type OtlpPoint,
  type OtlpSummaryPoint,
} from "./metrics_model.ts";
import { type Attributed, microsOf, newGroup } from "./model.ts";
import { LIMITS, tooManyItems, tooManyParts } from "./request.ts";

const PARTS = { parts: LIMITS.jsonParts, tooMany: tooManyParts };
const TEMPORALITIES = ["UNSPECIFIED", "DELTA", "CUMULATIVE"];

/** Names of data in a metric, as the protocol and as its definition write them. */
const FORMS: Readonly<Record<string, OtlpForm>> = {
  gauge: "gauge",
  sum: "sum",
  histogram: "histogram",
  exponentialHistogram: "exponential",
  exponential_histogram: "exponential",
  summary: "summary",
};

/**
 * Reads an `ExportMetricsServiceRequest` in JSON.
 *
 * @throws {Refusal} 400 for what is no such request, 413 for too many points or parts
 */
export function readJson(body: Uint8Array, taker: MetricTaker): void {
  const room = { points: LIMITS.points, groups: LIMITS.groups };
  for (const raw of objectsIn(field(parseRequest(body, PARTS), "resourceMetrics"))) {
    const scopes = objectsIn(field(raw, "scopeMetrics"));
    room.groups -= 1 + scopes.length;
    if (room.groups < 0) throw tooManyParts();
    const group = newGroup<never>();
    readAttributes(group, asObject(raw.resource) ?? {});
    const resource = taker.resource(group.attributes);
    for (const scope of scopes) {
      const name = textOf(asObject(scope.scope)?.name, LIMITS.name);
      const target = resource.scope(name);
      for (const metric of objectsIn(scope.metrics)) readMetric(metric, target, room);
    }
  }
}

function readMetric(raw: Raw, scope: ScopeTaker, room: { points: number }): void {
  // Of several forms in one the last holds.
  const name = Object.keys(raw).findLast((each) =>
    Object.hasOwn(FORMS, each) && asObject(raw[each]) !== undefined
  );
  const form = name === undefined ? undefined : FORMS[name];
  if (name === undefined || form === undefined) return;
  const data = asObject(raw[name]) ?? {};
  const points = objectsIn(field(data, "dataPoints"));
  room.points -= points.length;
  if (room.points < 0) throw tooManyItems("points");
  const sinks = scope.metric({
    name: textOf(raw.name, LIMITS.name),
    description: textOf(raw.description, LIMITS.text),
    unit: textOf(raw.unit, LIMITS.name),
  }, {
    form,
    temporality: enumOf(
      field(data, "aggregationTemporality"),
      "AGGREGATION_TEMPORALITY_",
      TEMPORALITIES,
    ),
    isMonotonic: readBoolean(field(data, "isMonotonic")) === true,
  });
  const read = <T>(readPoint: (raw: Raw) => T, sink: PointSink<T>) => {
    for (const point of points) {
      // Each quantile is stored as a point.
      room.points -= objectsIn(field(point, "quantileValues")).length;
      if (room.points < 0) throw tooManyItems("points");
      sink.add(readPoint(point), labelsIn(point, scope));
    }
  };
  switch (form) {
    case "gauge":
    case "sum":
      return read(readNumberPoint, sinks.number);
    case "histogram":
      return read(readHistogramPoint, sinks.histogram);
    case "exponential":
      return read(readExponentialPoint, sinks.histogram);
    case "summary":
      return read(readSummaryPoint, sinks.summary);
  }
}

function labelsIn(point: Raw, { space }: ScopeTaker) {
  const target: Attributed = { attributes: {}, attributeCount: 0, droppedAttributes: 0 };
  readAttributes(target, point);
  return space.labelsOf(target.attributes);
}

/** Reads a `NumberDataPoint`. */
function readNumberPoint(raw: Raw): OtlpNumberPoint {
  const point = readCommon(newNumberPoint(), raw);
  point.value = valueIn(raw);
  return point;
}

/** Reads a `HistogramDataPoint`. */
function readHistogramPoint(raw: Raw): OtlpHistogramPoint {
  const point = readCommon(newHistogramPoint(), raw);
  readTotals(point, raw);
  addNumbers(point.counts, field(raw, "bucketCounts"));
  addNumbers(point.bounds, field(raw, "explicitBounds"));
  return point;
}

/** Reads an `ExponentialHistogramDataPoint`. */
function readExponentialPoint(raw: Raw): OtlpExponentialPoint {
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
function readSummaryPoint(raw: Raw): OtlpSummaryPoint {
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
