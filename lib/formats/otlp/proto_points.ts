import { LIMITS } from "./limits.ts";
import type { OtlpReader } from "./reader.ts";
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
  type OtlpQuantile,
  type OtlpSummaryPoint,
} from "./metrics_model.ts";

/** A point while it is read. Its attributes are only noted: most are known by their bytes. */
export interface Reading<T> {
  readonly point: T;
  /** As {@linkcode OtlpReader.note} has it. */
  readonly attributes: number[];
}

/** Reads points of one form. */
export type PointReader<T> = (reader: OtlpReader) => Reading<T>;

/** Reads a `NumberDataPoint`. @throws {Refusal} 400 */
export const readNumberPoint: PointReader<OtlpNumberPoint> = (reader) =>
  reader.message(numberField, { point: newNumberPoint(), attributes: [] });

/** Reads a `HistogramDataPoint`. @throws {Refusal} 400 */
export const readHistogramPoint: PointReader<OtlpHistogramPoint> = (reader) =>
  reader.message(histogramField, { point: newHistogramPoint(), attributes: [] });

/** Reads an `ExponentialHistogramDataPoint`. @throws {Refusal} 400 */
export const readExponentialPoint: PointReader<OtlpExponentialPoint> = (reader) =>
  reader.message(exponentialField, { point: newExponentialPoint(), attributes: [] });

/** Reads a `SummaryDataPoint`. @throws {Refusal} 400 */
export const readSummaryPoint: PointReader<OtlpSummaryPoint> = (reader) =>
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
