import { packedBatch } from "../../metrics/codec/batch.ts";
import {
  type Batch,
  countOf,
  type ErrorEvent,
  type Outcome,
  type Receipt,
  type TelemetryRecord,
} from "../../records/mod.ts";
import { isHexId } from "../../store/query_limits.ts";
import { SEPARATOR } from "../../store/write_rows.ts";
import { MAX_NAME_LENGTH } from "../../store/values.ts";
import { OutcomeTally } from "./counts.ts";

const PROJECT_ID = /^\d{1,18}$/;

/** What one request stores: all of it in one transaction, or nothing. */
export interface RequestRows {
  readonly projectId: string;
  readonly rows: readonly RecordRow[];
  /** Beyond those of its rows. */
  readonly outcomes: OutcomeTally;
  /** Null: nobody asks whether the request was stored before. */
  readonly receipt: Receipt | null;
  /** How many records are no use to Postgres; they are among the outcomes. */
  readonly refused: number;
}

/**
 * Turns a request's records into rows; what cannot become one is counted as `invalid`.
 *
 * @throws {TypeError} when the project id is no number of at most 18 digits
 */
export function prepareBatch(
  projectId: string,
  { records, outcomes }: Pick<Batch, "records" | "outcomes">,
  receipt: Receipt | null,
): RequestRows {
  const rows: RecordRow[] = [];
  const tally = tallyOutcomes(projectId, outcomes, receipt?.receivedAt);
  for (const record of records) {
    try {
      rows.push(toRecordRow(projectId, record));
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      tally.add(projectId, { ...countOf(record), kind: "invalid", reason: "refused_by_store" });
    }
  }
  return { projectId, rows, outcomes: tally, receipt, refused: records.length - rows.length };
}

/**
 * Adds up outcomes of a project.
 *
 * @param receivedAt decides about the hour they count for. @default now
 * @throws {TypeError} when the project id is no number of at most 18 digits
 */
export function tallyOutcomes(
  projectId: string,
  outcomes: readonly Outcome[],
  receivedAt: Date = new Date(),
): OutcomeTally {
  if (!PROJECT_ID.test(projectId)) {
    throw new TypeError(`Cannot store: ${projectId} is no project id`);
  }
  const tally = new OutcomeTally();
  for (const outcome of outcomes) tally.add(projectId, outcome, receivedAt.getTime());
  return tally;
}

/** Any record but an error, on its way into Postgres. */
export interface OtherRow<R extends OtherRecord = OtherRecord> {
  readonly projectId: string;
  readonly record: R;
  /** About what the row costs in memory and on the wire. */
  readonly bytes: number;
}

type OtherRecord = Exclude<TelemetryRecord, ErrorEvent>;
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
function toRecordRow(projectId: string, record: TelemetryRecord): RecordRow {
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
  if (record.kind === "spans") return spansBytes(record.spans);
  return record.kind === "profile" ? record.traces.length * PROFILED_TRACE_BYTES : 0;
}

/** Of a span beside its texts. */
const SPAN_BYTES = 100;

/** About what spans take before they are packed. */
function spansBytes(spans: RecordOf<"spans">["spans"]): number {
  let bytes = spans.length * SPAN_BYTES;
  for (const { description, data, events, links } of spans) {
    bytes += description.length;
    for (const key in data) bytes += sizeOf(data[key]);
    if (events.length + links.length > 0) bytes += JSON.stringify([events, links]).length;
  }
  return bytes;
}

function sizeOf(value: unknown): number {
  if (typeof value === "string") return value.length;
  return typeof value === "object" ? JSON.stringify(value).length : 0;
}

/** The large text of a record, which decides what it costs. */
function textOf(record: OtherRecord): string {
  switch (record.kind) {
    case "transaction":
    case "feedback":
      return record.payload;
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

/** The order of keys in every writer, so that none waits for another that waits for it. */
export function compareKeys(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** An event on its way into Postgres: times as text, names cut to what an index row can hold. */
export interface EventRow {
  readonly projectId: string;
  readonly event: ErrorEvent;
  /** Identifies the event across projects. */
  readonly key: string;
  /** ISO 8601, UTC. */
  readonly timestamp: string;
  readonly receivedAt: string;
  readonly hour: string;
  /** `YYYY-MM-DD`, UTC. */
  readonly day: string;
  readonly environment: string;
  readonly release: string;
  readonly user: string | null;
  /** About what the row costs in memory and on the wire. */
  readonly bytes: number;
}

const EVENT_OVERHEAD_BYTES = 1_000;

/**
 * Prepares an event for the writer.
 *
 * @throws {RangeError} when a time or the id is invalid
 */
export function toEventRow(projectId: string, event: ErrorEvent): EventRow {
  if (!isHexId(event.eventId)) throw new RangeError("Cannot store an event: invalid id");
  const timestamp = event.timestamp.toISOString();
  return {
    projectId,
    event,
    key: `${projectId}/${event.eventId}`,
    timestamp,
    receivedAt: event.receivedAt.toISOString(),
    hour: `${timestamp.slice(0, 13)}:00:00.000Z`,
    day: timestamp.slice(0, 10),
    environment: event.environment.slice(0, MAX_NAME_LENGTH),
    release: event.release.slice(0, MAX_NAME_LENGTH),
    user: event.user === null ? null : event.user.slice(0, MAX_NAME_LENGTH),
    bytes: event.payload.length + EVENT_OVERHEAD_BYTES,
  };
}
