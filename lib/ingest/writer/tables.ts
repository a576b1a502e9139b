/** How records that are written once become rows: one table description a kind. */
import { storable } from "../../core/errors.ts";
import { typeId } from "../../formats/pprof/sample_types.ts";
import type { Measurement, Origin, Profile, TracePlace } from "../../records/mod.ts";
import type { Columns, InsertOnly, Table } from "../../store/write_rows.ts";
import { nameOf, packText, toArrayLiteral } from "../../store/values.ts";
import type { OtherKind, OtherRow, RecordOf } from "./rows.ts";

type RowOf<K extends OtherKind> = OtherRow<RecordOf<K>>;

/** Columns that several kinds have, by the same names. */
const ORIGIN: Columns<{ readonly record: Origin }> = {
  timestamp: ["timestamptz", ({ record }) => record.timestamp],
  received_at: ["timestamptz", ({ record }) => record.receivedAt],
  environment: ["text", ({ record }) => nameOf(record.environment)],
  release: ["text", ({ record }) => nameOf(record.release)],
};

const PLACE: Columns<{ readonly record: TracePlace }> = {
  trace_id: ["uuid", ({ record }) => record.traceId],
  span_id: ["text", ({ record }) => record.spanId],
};

function measurementsJson(measurements: readonly Measurement[]): string {
  return JSON.stringify(
    Object.fromEntries(measurements.map(({ name, value, unit }) => [name, { value, unit }])),
  );
}

/** With microseconds, which a `Date` has not. */
function startOf({ startedAt, startedMicros = 0 }: RowOf<"transaction">["record"]): string {
  return startedAt.toISOString().replace("Z", `${String(startedMicros).padStart(3, "0")}Z`);
}

export const TRANSACTIONS: InsertOnly<RowOf<"transaction">> = {
  name: "transactions",
  id: "event_id",
  idOf: ({ record }) => record.eventId,
  key: ["timestamp", "event_id"],
  columns: {
    ...ORIGIN,
    event_id: ["uuid", ({ record }) => record.eventId],
    started_at: ["timestamptz", ({ record }) => startOf(record)],
    duration_ms: ["double precision", ({ record }) => record.durationMs],
    trace_id: ["uuid", ({ record }) => record.traceId],
    span_id: ["text", ({ record }) => record.spanId],
    parent_span_id: ["text", ({ record }) => record.parentSpanId],
    sent_as: ["text", ({ record }) => record.sentAs],
    name: ["text", ({ record }) => nameOf(record.name)],
    source: ["text", ({ record }) => nameOf(record.source)],
    op: ["text", ({ record }) => nameOf(record.op)],
    status: ["text", ({ record }) => nameOf(record.status)],
    http_method: ["text", ({ record }) => nameOf(record.httpMethod)],
    http_status: ["smallint", ({ record }) => record.httpStatus],
    route: ["text", ({ record }) => nameOf(record.route)],
    is_failed: ["boolean", ({ record }) => record.isFailed],
    service: ["text", ({ record }) => nameOf(record.service)],
    platform: ["text", ({ record }) => nameOf(record.platform)],
    user_key: ["text", ({ record }) => record.user === null ? null : nameOf(record.user)],
    tags: ["json", ({ record }) => JSON.stringify(Object.fromEntries(record.tags))],
    measurements: ["json", ({ record }) => measurementsJson(record.measurements)],
    client_sample_rate: ["real", ({ record }) => record.clientSampleRate],
    server_sample_rate: ["real", ({ record }) => record.serverSampleRate],
    profile_id: ["uuid", ({ record }) => record.profileId],
    profiler_id: ["uuid", ({ record }) => record.profilerId],
    payload: ["hex", ({ record }) => packedPayload(record.payload)],
  },
};

/** Nothing stays nothing. */
function packedPayload(payload: string): string {
  return payload === "" ? "" : packText(payload);
}

export const ATTACHMENTS: InsertOnly<RowOf<"attachment">> = {
  name: "attachments",
  id: "attachment_id",
  idOf: ({ record }) => record.attachmentId,
  key: ["event_id", "attachment_id"],
  columns: {
    event_id: ["uuid", ({ record }) => record.eventId],
    attachment_id: ["uuid", ({ record }) => record.attachmentId],
    timestamp: ["timestamptz", ({ record }) => record.timestamp],
    received_at: ["timestamptz", ({ record }) => record.receivedAt],
    filename: ["text", ({ record }) => nameOf(record.filename)],
    content_type: ["text", ({ record }) => nameOf(record.contentType)],
    attachment_type: ["text", ({ record }) => nameOf(record.attachmentType)],
    size_bytes: ["bigint", ({ record }) => record.blob.bytes.length],
    blob_key: ["text", ({ record }) => record.blob.key],
  },
};

export const FEEDBACK: InsertOnly<RowOf<"feedback">> = {
  name: "feedback",
  id: "feedback_id",
  idOf: ({ record }) => record.feedbackId,
  key: ["feedback_id"],
  columns: {
    ...ORIGIN,
    ...PLACE,
    feedback_id: ["uuid", ({ record }) => record.feedbackId],
    event_id: ["uuid", ({ record }) => record.eventId],
    message: ["text", ({ record }) => storable(record.message)],
    name: ["text", ({ record }) => nameOf(record.name)],
    email: ["text", ({ record }) => nameOf(record.email)],
    url: ["text", ({ record }) => storable(record.url)],
    source: ["text", ({ record }) => nameOf(record.source)],
    platform: ["text", ({ record }) => nameOf(record.platform)],
    user_key: ["text", ({ record }) => record.user === null ? null : nameOf(record.user)],
    is_resolved: ["boolean", ({ record }) => record.isResolved ?? false],
    payload: ["long_text", ({ record }) => record.payload],
  },
};

export const LOGS: InsertOnly<RowOf<"log">> = {
  name: "logs",
  id: "log_id",
  idOf: ({ record }) => record.logId,
  key: ["timestamp", "log_id"],
  columns: {
    ...ORIGIN,
    ...PLACE,
    log_id: ["uuid", ({ record }) => record.logId],
    nanos: ["integer", ({ record }) => record.nanos],
    place: ["integer", ({ record }) => record.place],
    level: ["text", ({ record }) => record.level],
    body: ["text", ({ record }) => storable(record.body)],
    logger: ["text", ({ record }) => nameOf(record.logger)],
    server: ["text", ({ record }) => nameOf(record.server)],
    sdk: ["text", ({ record }) => nameOf(record.sdk)],
    attributes: ["json", ({ record }) => record.attributes],
  },
};

export const PROFILES: InsertOnly<RowOf<"profile">> = {
  name: "profiles",
  id: "profile_id",
  idOf: ({ record }) => record.profileId,
  key: ["profile_id"],
  columns: {
    ...ORIGIN,
    ...PLACE,
    profile_id: ["uuid", ({ record }) => record.profileId],
    source: ["text", ({ record }) => record.source],
    kind: ["text", ({ record }) => record.profileKind],
    service: ["text", ({ record }) => nameOf(record.service)],
    instance: ["text", ({ record }) => nameOf(record.instance)],
    platform: ["text", ({ record }) => nameOf(record.platform)],
    transaction: ["text", ({ record }) => nameOf(record.transaction)],
    transaction_id: ["uuid", ({ record }) => record.transactionId],
    profiler_id: ["uuid", ({ record }) => record.profilerId],
    duration_ms: ["double precision", ({ record }) => record.durationMs],
    period: ["bigint", ({ record }) => String(record.period)],
    period_type: ["text", ({ record }) => nameOf(record.periodType)],
    samples: ["integer", ({ record }) => record.samples],
    types: [
      "text[]",
      ({ record }) => toArrayLiteral(record.totals.map((total) => storable(typeId(total)))),
    ],
    totals: ["bigint[]", ({ record }) => toArrayLiteral(record.totals.map(({ total }) => total))],
    is_delta: ["boolean", ({ record }) => record.isDelta],
    labels: ["json", ({ record }) => JSON.stringify(record.labels)],
    size_bytes: ["bigint", ({ record }) => record.blob.bytes.length],
    blob_key: ["text", ({ record }) => record.blob.key],
    original_key: ["text", ({ record }) => record.original?.key ?? ""],
  },
};

/** The traces that samples of profiles name. */
export const PROFILE_TRACES: Table<ReturnType<typeof tracesIn>[number]> = {
  name: "profile_traces",
  key: ["trace_id", "profile_id", "span_id"],
  columns: {
    trace_id: ["uuid", ({ trace }) => trace.traceId],
    profile_id: ["uuid", ({ record }) => record.profileId],
    span_id: ["text", ({ trace }) => trace.spanId ?? ""],
    timestamp: ["timestamptz", ({ record }) => record.timestamp],
    totals: ["bigint[]", ({ trace }) => toArrayLiteral(trace.totals)],
  },
};

export function tracesIn({ projectId, record }: OtherRow<Profile>) {
  return record.traces.map((trace) => ({ projectId, record, trace }));
}
