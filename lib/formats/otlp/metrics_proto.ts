import type { Labels } from "../metrics/label_book.ts";
import type { Fault } from "../metrics/limits.ts";
import type { LabelSpace } from "./metrics_labels.ts";
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
  type OtlpMetric,
  type OtlpNumberPoint,
  type OtlpPoint,
  type OtlpQuantile,
  type OtlpSummaryPoint,
} from "./metrics_model.ts";
import { type Attributed, newGroup, newScope } from "./model.ts";
import { OtlpReader, refuseDamaged, refuseFloods } from "./proto_reader.ts";
import { instrumentationField, readAttribute, resourceField } from "./proto_values.ts";
import { LIMITS } from "./request.ts";

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

/** A point while it is read. Its attributes are only noted: most are known by their bytes. */
interface Reading<T> {
  readonly point: T;
  /** As {@linkcode OtlpReader.note} has it. */
  readonly attributes: number[];
}

/** Reads points of one form. */
type PointReader<T> = (reader: OtlpReader) => Reading<T>;

/** Reads a `NumberDataPoint`. @throws {Refusal} 400 */
const readNumberPoint: PointReader<OtlpNumberPoint> = (reader) =>
  reader.message(numberField, { point: newNumberPoint(), attributes: [] });

/** Reads a `HistogramDataPoint`. @throws {Refusal} 400 */
const readHistogramPoint: PointReader<OtlpHistogramPoint> = (reader) =>
  reader.message(histogramField, { point: newHistogramPoint(), attributes: [] });

/** Reads an `ExponentialHistogramDataPoint`. @throws {Refusal} 400 */
const readExponentialPoint: PointReader<OtlpExponentialPoint> = (reader) =>
  reader.message(exponentialField, { point: newExponentialPoint(), attributes: [] });

/** Reads a `SummaryDataPoint`. @throws {Refusal} 400 */
const readSummaryPoint: PointReader<OtlpSummaryPoint> = (reader) =>
  reader.message(summaryField, { point: newSummaryPoint(), attributes: [] });

function numberField(
  field: number,
  { point, attributes }: Reading<OtlpNumberPoint>,
  reader: OtlpReader,
): void {
  switch (field) {
    case 2:
      point.startMs = reader.millis();
      break;
    case 3:
      point.timeMs = reader.millis();
      break;
    case 4:
      point.value = reader.double() ?? point.value;
      break;
    case 5:
      readExemplar(point, reader);
      break;
    case 6:
      if (reader.isFixed64) point.value = reader.fixed64(true);
      break;
    case 7:
      reader.note(attributes);
      break;
    case 8:
      point.flags = reader.uint();
  }
}

function histogramField(
  field: number,
  { point, attributes }: Reading<OtlpHistogramPoint>,
  reader: OtlpReader,
): void {
  switch (field) {
    case 2:
      point.startMs = reader.millis();
      break;
    case 3:
      point.timeMs = reader.millis();
      break;
    case 4:
      point.count = reader.fixed64();
      break;
    case 5:
      point.sum = reader.double();
      break;
    case 6:
      reader.fixed64s(point.counts);
      break;
    case 7:
      reader.doubles(point.bounds);
      break;
    case 8:
      readExemplar(point, reader);
      break;
    case 9:
      reader.note(attributes);
      break;
    case 10:
      point.flags = reader.uint();
      break;
    case 11:
      point.min = reader.double();
      break;
    case 12:
      point.max = reader.double();
  }
}

function exponentialField(
  field: number,
  { point, attributes }: Reading<OtlpExponentialPoint>,
  reader: OtlpReader,
): void {
  switch (field) {
    case 1:
      reader.note(attributes);
      break;
    case 2:
      point.startMs = reader.millis();
      break;
    case 3:
      point.timeMs = reader.millis();
      break;
    case 4:
      point.count = reader.fixed64();
      break;
    case 5:
      point.sum = reader.double();
      break;
    case 6:
      point.scale = reader.sint();
      break;
    case 7:
      point.zeroCount = reader.fixed64();
      break;
    case 8:
      point.positive = reader.message(bucketsField, newBuckets());
      break;
    case 9:
      point.negative = reader.message(bucketsField, newBuckets());
      break;
    case 10:
      point.flags = reader.uint();
      break;
    case 11:
      readExemplar(point, reader);
      break;
    case 12:
      point.min = reader.double();
      break;
    case 13:
      point.max = reader.double();
      break;
    case 14:
      point.zeroThreshold = reader.double() ?? 0;
  }
}

function bucketsField(field: number, buckets: OtlpBuckets, reader: OtlpReader): void {
  if (field === 1) buckets.offset = reader.sint();
  else if (field === 2) reader.varints(buckets.counts);
}

function summaryField(
  field: number,
  { point, attributes }: Reading<OtlpSummaryPoint>,
  reader: OtlpReader,
): void {
  switch (field) {
    case 2:
      point.startMs = reader.millis();
      break;
    case 3:
      point.timeMs = reader.millis();
      break;
    case 4:
      point.count = reader.fixed64();
      break;
    case 5:
      point.sum = reader.double() ?? 0;
      break;
    case 6:
      if (reader.isMessage) {
        point.quantiles.push(reader.message(quantileField, { quantile: 0, value: 0 }));
      }
      break;
    case 7:
      reader.note(attributes);
      break;
    case 8:
      point.flags = reader.uint();
  }
}

function quantileField(field: number, target: OtlpQuantile, reader: OtlpReader): void {
  if (field === 1) target.quantile = reader.double() ?? 0;
  else if (field === 2) target.value = reader.double() ?? 0;
}

function readExemplar(point: OtlpPoint, reader: OtlpReader): void {
  if (!reader.isMessage || point.exemplars.length >= LIMITS.exemplars) return;
  point.exemplars.push(reader.message(exemplarField, newExemplar()));
}

function exemplarField(field: number, exemplar: OtlpExemplar, reader: OtlpReader): void {
  switch (field) {
    case 2:
      exemplar.timeMs = reader.millis();
      break;
    case 3:
      exemplar.value = reader.double() ?? exemplar.value;
      break;
    case 4:
      exemplar.spanId = reader.id();
      break;
    case 5:
      exemplar.traceId = reader.id();
      break;
    case 6:
      if (reader.isFixed64) exemplar.value = reader.fixed64(true);
  }
}
