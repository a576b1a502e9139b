import { refuseFloods } from "./count.ts";
import { readAttribute } from "./proto_any_value.ts";
import { OtlpReader, refuseDamaged } from "./reader.ts";
import { instrumentationField, resourceField } from "./proto_resources.ts";
import { type Attributed, newGroup, newScope } from "./model.ts";
import { LIMITS } from "./limits.ts";
import type { Fault } from "../metrics/faults.ts";
import type { Labels } from "../metrics/label_book.ts";
import type { LabelSpace } from "./label_space.ts";
import type { MetricTaker, PointSink, ScopeTaker } from "./metric_taker.ts";
import type { OtlpForm, OtlpMetric } from "./metrics_model.ts";
import {
  type PointReader,
  readExponentialPoint,
  readHistogramPoint,
  readNumberPoint,
  readSummaryPoint,
} from "./proto_points.ts";

/**
 * Reads an `ExportMetricsServiceRequest` in protobuf. What comes first in a message is often understood by what comes
 * later (temporality stands behind the points): parts are noted first, and read in the order that they are needed in.
 *
 * @throws {Refusal} 400 for what is no such request, 413 for too many points or parts
 */
export function readProtobuf(body: Uint8Array, taker: MetricTaker): void {
  refuseDamaged(() => {
    refuseFloods(body, "points");
    new OtlpReader(body).readAll((field, target, reader) => {
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
function partsField(field: number, { head, rest }: Parts, reader: OtlpReader): void {
  if (field === 1) reader.note(head);
  else if (field === 2) reader.note(rest);
}

function readResource(taker: MetricTaker, reader: OtlpReader): void {
  const { head, rest } = reader.message(partsField, { head: [], rest: [] });
  const group = newGroup<never>();
  reader.readNoted(head, (target, inner) => inner.message(resourceField, target), group);
  const resource = taker.resource(group.attributes);
  reader.readNoted(rest, (_, inner) => readScope(resource.scope, inner), null);
}

function readScope(
  scopeOf: (name: string) => ScopeTaker,
  reader: OtlpReader,
): void {
  const { head, rest } = reader.message(partsField, { head: [], rest: [] });
  const scope = newScope<never>();
  reader.readNoted(head, (target, inner) => inner.message(instrumentationField, target), scope);
  reader.readNoted(rest, readMetric, scopeOf(scope.name));
}

interface MetricParts extends OtlpMetric {
  form: OtlpForm | null;
  readonly data: number[];
}

const FORMS: ReadonlyMap<number, OtlpForm> = new Map([
  [5, "gauge"],
  [7, "sum"],
  [9, "histogram"],
  [10, "exponential"],
  [11, "summary"],
]);

function metricField(field: number, metric: MetricParts, reader: OtlpReader): void {
  const form = FORMS.get(field);
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

function dataField(field: number, data: DataParts, reader: OtlpReader): void {
  if (field === 1) reader.note(data.points);
  else if (field === 2) data.temporality = reader.uint();
  else if (field === 3) data.isMonotonic = reader.bool();
}

function readMetric(scope: ScopeTaker, reader: OtlpReader): void {
  const empty: MetricParts = { name: "", description: "", unit: "", form: null, data: [] };
  const metric = reader.message(metricField, empty);
  const { form } = metric;
  if (form === null) return;
  const data: DataParts = { points: [], temporality: 0, isMonotonic: false };
  reader.readNoted(metric.data, (target, inner) => inner.message(dataField, target), data);
  const { points, temporality, isMonotonic } = data;
  const sinks = scope.metric(metric, { form, temporality, isMonotonic });
  const read = <T>(readPoint: PointReader<T>, sink: PointSink<T>) =>
    reader.readNoted(points, (_, inner) => readInto(readPoint, sink, scope.space, inner), null);
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

function readInto<T>(
  readPoint: PointReader<T>,
  sink: PointSink<T>,
  space: LabelSpace,
  reader: OtlpReader,
): void {
  const { point, attributes } = readPoint(reader);
  sink.add(point, labelsAt(attributes, space, reader));
}

/** Longer ones are read every time: few series have so much, and the memory is for many. */
const MAX_REMEMBERED_BYTES = 2_000;

function labelsAt(
  places: readonly number[],
  space: LabelSpace,
  reader: OtlpReader,
): Labels | Fault {
  const size = (places.at(-1) ?? 0) - (places[0] ?? 0);
  const key = size > MAX_REMEMBERED_BYTES ? null : reader.bytesAt(places);
  const known = key === null ? undefined : space.known.get(key);
  if (known !== undefined) return known;
  const target: Attributed = { attributes: {}, attributeCount: 0, droppedAttributes: 0 };
  reader.readNoted(places, readAttribute, target);
  return space.labelsOf(target.attributes, key);
}
