import { packedBatch } from "../../metrics/codec/packed_batch.ts";
import type { ErrorEvent, TelemetryRecord } from "../../records/mod.ts";
import { packSpans } from "../../store/pack.ts";
import { storable } from "../../core/storable.ts";
import { type EventRow, SEPARATOR, toEventRow } from "./event_row.ts";

/** Any record but an error, on its way into Postgres. */
export interface OtherRow<R extends OtherRecord = OtherRecord> {
  readonly projectId: string;
  readonly record: R;
  /** About what the row costs in memory and on the wire. */
  readonly bytes: number;
}

export type OtherRecord = Exclude<TelemetryRecord, ErrorEvent>;
export type OtherKind = OtherRecord["kind"];
export type RecordOf<K extends OtherKind> = Extract<OtherRecord, { kind: K }>;
export type RecordRow = EventRow | OtherRow;

export function isEventRow(row: RecordRow): row is EventRow {
  return "event" in row;
}

/** The record that a row was made of. */
export function recordOf(row: RecordRow): TelemetryRecord {
  return isEventRow(row) ? row.event : row.record;
}

const ROW_OVERHEAD_BYTES = 300;

/**
 * Prepares a record for the writer.
 *
 * @throws {RangeError} when a time is invalid or a payload is no JSON text
 */
export function toRecordRow(projectId: string, record: TelemetryRecord): RecordRow {
  if (record.kind === "error") return toEventRow(projectId, record);
  if (Number.isNaN(record.timestamp.getTime())) throw new RangeError("Cannot store: invalid time");
  const text = textOf(record);
  if (text.includes(SEPARATOR)) throw new RangeError("Cannot store payload: no JSON text");
  return { projectId, record, bytes: text.length + otherBytes(record) + ROW_OVERHEAD_BYTES };
}

/** Of a trace that a profile names, with a few sums. */
const PROFILED_TRACE_BYTES = 150;

/** What a row costs beside its large text. */
function otherBytes(record: OtherRecord): number {
  if (record.kind === "log") return record.body.length;
  return record.kind === "profile" ? record.traces.length * PROFILED_TRACE_BYTES : 0;
}

/** The large text of a record, which decides what it costs. */
function textOf(record: OtherRecord): string {
  switch (record.kind) {
    case "transaction":
    case "feedback":
      return record.payload;
    case "spans":
      return packedSpans(record).spans;
    case "log":
      return record.attributes;
    case "metrics":
      return packedBatch(record).body;
    case "check_in":
      return record.monitorConfig ?? "";
    case "profile":
      return JSON.stringify(record.labels);
    default:
      return "";
  }
}

const packed = new WeakMap<object, { readonly ids: string; readonly spans: string }>();

/** The spans of a batch and their ids as hexadecimal digits of their packed form, made once. */
export function packedSpans({ spans }: RecordOf<"spans">) {
  let hex = packed.get(spans);
  if (hex === undefined) {
    const { ids, bytes } = packSpans(spans);
    packed.set(spans, hex = { ids: ids.toHex(), spans: bytes.toHex() });
  }
  return hex;
}

const MAX_NAME_LENGTH = 200;

/** A text that an index row can hold. */
export function nameOf(text: string): string {
  return storable(text.slice(0, MAX_NAME_LENGTH).toWellFormed());
}
