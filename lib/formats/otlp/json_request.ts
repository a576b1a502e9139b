import { asObject, type Raw, readBoolean } from "../fields.ts";
import { readAttributes } from "./any_value.ts";
import { enumOf, field, objectsIn, textOf } from "./fields.ts";
import { parseRequest } from "./parse_request.ts";
import { LIMITS } from "./limits.ts";
import { type Attributed, newGroup } from "./model.ts";
import { tooManyItems, tooManyParts } from "./refusals.ts";
import type { MetricTaker, PointSink, ScopeTaker } from "./metric_taker.ts";
import type { OtlpForm } from "./metrics_model.ts";
import {
  readExponentialPoint,
  readHistogramPoint,
  readNumberPoint,
  readSummaryPoint,
} from "./points.ts";

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
