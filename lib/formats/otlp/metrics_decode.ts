import { asObject, type Raw, readBoolean } from "../fields.ts";
import type { Labels } from "../metrics/label_book.ts";
import type { Fault } from "../metrics/limits.ts";
import { JSON_PARTS, RESOURCE, SCOPE } from "./decode.ts";
import { enumOf, field, JsonFields, objectsIn, parseRequest, textOf } from "./json.ts";
import { snakeCase } from "./message.ts";
import type { LabelSpace } from "./metrics_labels.ts";
import type { MetricTaker, PointSink, PointSinks, ScopeTaker } from "./metric_taker.ts";
import {
  EXPONENTIAL,
  HISTOGRAM,
  NUMBER,
  type OtlpForm,
  type OtlpMetric,
  type PointForm,
  SUMMARY,
} from "./metrics_model.ts";
import { type Attributed, newGroup, newScope } from "./model.ts";
import { refuseFloods } from "./floods.ts";
import { refuseDamaged } from "./proto_reader.ts";
import { labelsAt, MAX_REMEMBERED_BYTES, readingField, readNumberPoints } from "./number_points.ts";
import { ProtoFields } from "./proto_values.ts";
import { bodyEncoding, LIMITS, tooManyItems, tooManyParts } from "./request.ts";

/**
 * Reads an `ExportMetricsServiceRequest` into `taker`.
 *
 * @param body decompressed
 * @throws {Refusal} 415 for another content type, 413 for too many points or parts, 400 for what is no such request
 */
export function decodeMetrics(body: Uint8Array, contentType: string, taker: MetricTaker): void {
  if (bodyEncoding(body, contentType) === "json") readJson(body, taker);
  else readProtobuf(body, taker);
}

/** Forms of a metric's data: number of the field in protobuf, name in JSON, and what we call it. */
const FORMS: readonly (readonly [field: number, name: string, form: OtlpForm])[] = [
  [5, "gauge", "gauge"],
  [7, "sum", "sum"],
  [9, "histogram", "histogram"],
  [10, "exponentialHistogram", "exponential"],
  [11, "summary", "summary"],
];

/** Reads points of one form into their sink. */
type ReadPoints = <T>(form: PointForm<T>, sink: PointSink<NoInfer<T>>) => void;

/** Reads all points of a metric. Only the sink of its form is made. */
function readPoints(form: OtlpForm, sinks: PointSinks, read: ReadPoints): void {
  switch (form) {
    case "gauge":
    case "sum":
      return read(NUMBER, sinks.number);
    case "histogram":
      return read(HISTOGRAM, sinks.histogram);
    case "exponential":
      return read(EXPONENTIAL, sinks.histogram);
    case "summary":
      return read(SUMMARY, sinks.summary);
  }
}

function newAttributed(): Attributed {
  return { attributes: {}, attributeCount: 0, droppedAttributes: 0 };
}

const TEMPORALITIES = ["UNSPECIFIED", "DELTA", "CUMULATIVE"];
const JSON_FORMS: ReadonlyMap<string, OtlpForm> = new Map(
  FORMS.flatMap(([, name, form]) => [[name, form], [snakeCase(name), form]] as const),
);

function readJson(body: Uint8Array, taker: MetricTaker): void {
  const room = { points: LIMITS.points, groups: LIMITS.groups };
  const json = new JsonFields();
  for (const raw of objectsIn(field(parseRequest(body, JSON_PARTS), "resourceMetrics"))) {
    const scopes = objectsIn(field(raw, "scopeMetrics"));
    room.groups -= 1 + scopes.length;
    if (room.groups < 0) throw tooManyParts();
    const sent = json.read(asObject(raw.resource) ?? {}, RESOURCE, newAttributed());
    const resource = taker.resource(sent.attributes);
    for (const scope of scopes) {
      const name = textOf(asObject(scope.scope)?.name, LIMITS.name);
      const target = resource.scope(name);
      for (const metric of objectsIn(scope.metrics)) readJsonMetric(metric, target, json, room);
    }
  }
}

function readJsonMetric(
  raw: Raw,
  scope: ScopeTaker,
  json: JsonFields,
  room: { points: number },
): void {
  // Of several forms in one the last holds.
  const name = Object.keys(raw).findLast((each) =>
    JSON_FORMS.has(each) && asObject(raw[each]) !== undefined
  );
  const form = JSON_FORMS.get(name ?? "");
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
  readPoints(form, sinks, ({ fields, newPoint }, sink) => {
    for (const point of points) {
      // Each quantile is stored as a point.
      room.points -= objectsIn(field(point, "quantileValues")).length;
      if (room.points < 0) throw tooManyItems("points");
      sink.add(json.read(point, fields, newPoint()), labelsOfJson(point, scope.space, json));
    }
  });
}

/** The labels of a point, by its attributes as they were sent: nearly all are those of a point of an earlier request. */
function labelsOfJson(point: Raw, space: LabelSpace, json: JsonFields): Labels | Fault {
  const sent = `json ${JSON.stringify(point.attributes) ?? ""}`;
  const key = sent.length > MAX_REMEMBERED_BYTES ? null : sent;
  const known = key === null ? undefined : space.known.get(key);
  if (known !== undefined) return known;
  return space.labelsOf(json.read(point, RESOURCE, newAttributed()).attributes, key);
}

/**
 * What comes first in a message is often understood by what comes later (temporality stands behind the points): parts
 * are noted first, and read in the order that they are needed in.
 */
function readProtobuf(body: Uint8Array, taker: MetricTaker): void {
  refuseDamaged(() => {
    refuseFloods(body, "points");
    new ProtoFields(body).readAll((field, target, reader) => {
      if (field === 1 && reader.isMessage) readResource(target, reader);
    }, taker);
  });
}

interface Parts {
  /** Of the resource or the library. */
  readonly head: number[];
  readonly rest: number[];
}

/** `ResourceMetrics` and `ScopeMetrics` have the same two fields. */
function partsField(field: number, { head, rest }: Parts, reader: ProtoFields): void {
  if (field === 1) reader.note(head);
  else if (field === 2) reader.note(rest);
}

function readResource(taker: MetricTaker, reader: ProtoFields): void {
  const { head, rest } = reader.message(partsField, { head: [], rest: [] });
  const group = newGroup<never>();
  reader.readNoted(head, (target, inner) => inner.inner(RESOURCE, target), group);
  const resource = taker.resource(group.attributes);
  reader.readNoted(rest, (_, inner) => readScope(resource.scope, inner), null);
}

function readScope(
  scopeOf: (name: string) => ScopeTaker,
  reader: ProtoFields,
): void {
  const { head, rest } = reader.message(partsField, { head: [], rest: [] });
  const scope = newScope<never>();
  reader.readNoted(head, (target, inner) => inner.inner(SCOPE, target), scope);
  reader.readNoted(rest, readMetric, scopeOf(scope.name));
}

interface MetricParts extends OtlpMetric {
  form: OtlpForm | null;
  readonly data: number[];
}

const PROTO_FORMS: ReadonlyMap<number, OtlpForm> = new Map(
  FORMS.map(([field, , form]) => [field, form]),
);

function metricField(field: number, metric: MetricParts, reader: ProtoFields): void {
  const form = PROTO_FORMS.get(field);
  if (form !== undefined) {
    // Of several forms in one the last holds.
    if (form !== metric.form) metric.data.length = 0;
    metric.form = form;
    reader.note(metric.data);
  } else if (field === 1) metric.name = reader.text(LIMITS.name);
  else if (field === 2) metric.description = reader.text(LIMITS.text);
  else if (field === 3) metric.unit = reader.text(LIMITS.name);
}

interface DataParts {
  readonly points: number[];
  temporality: number;
  isMonotonic: boolean;
}

function dataField(field: number, data: DataParts, reader: ProtoFields): void {
  if (field === 1) reader.note(data.points);
  else if (field === 2) data.temporality = reader.uint();
  else if (field === 3) data.isMonotonic = reader.bool();
}

function readMetric(scope: ScopeTaker, reader: ProtoFields): void {
  const empty: MetricParts = { name: "", description: "", unit: "", form: null, data: [] };
  const metric = reader.message(metricField, empty);
  const { form } = metric;
  if (form === null) return;
  const data: DataParts = { points: [], temporality: 0, isMonotonic: false };
  reader.readNoted(metric.data, (target, inner) => inner.message(dataField, target), data);
  const { points, temporality, isMonotonic } = data;
  const sinks = scope.metric(metric, { form, temporality, isMonotonic });
  if (form === "gauge" || form === "sum") {
    readNumberPoints(points, sinks.number, scope.space, reader);
    return;
  }
  readPoints(form, sinks, (pointForm, sink) => {
    const handle = readingField(pointForm);
    reader.readNoted(points, (_, inner) => {
      const reading = { point: pointForm.newPoint(), attributes: [] };
      const { point, attributes } = inner.message(handle, reading);
      sink.add(point, labelsAt(attributes, scope.space, inner));
    }, null);
  });
}
