/** How records that are written once become rows: one table description a kind. */
import { createHash } from "node:crypto";
import { storable } from "../../core/store_errors.ts";
import { typeId } from "../../formats/pprof/sample_types.ts";
import type { Measurement, Origin, SpanBatch, TracePlace } from "../../records/mod.ts";
import { spanFactsJson } from "../../records/span_rules.ts";
import { packText, toArrayLiteral } from "../../store/values.ts";
import type { Transaction } from "../../store/database.ts";
import type { Column, InsertOnly } from "./insert_new.ts";
import { nameOf, type OtherKind, type OtherRow, packedSpans, type RecordOf } from "./rows.ts";

type RowOf<K extends OtherKind> = OtherRow<RecordOf<K>>;

/** Columns that several kinds have, by the same names. */
const ORIGIN: readonly Column<{ readonly record: Origin }>[] = [
  { name: "timestamp", type: "timestamptz", value: ({ record }) => record.timestamp },
  { name: "received_at", type: "timestamptz", value: ({ record }) => record.receivedAt },
  { name: "environment", type: "text", value: ({ record }) => nameOf(record.environment) },
  { name: "release", type: "text", value: ({ record }) => nameOf(record.release) },
];

const PLACE: readonly Column<{ readonly record: TracePlace }>[] = [
  { name: "trace_id", type: "uuid", value: ({ record }) => record.traceId },
  { name: "span_id", type: "text", value: ({ record }) => record.spanId },
];

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
  table: "transactions",
  id: "event_id",
  idOf: ({ record }) => record.eventId,
  key: ["timestamp", "event_id"],
  columns: [
    ...ORIGIN,
    { name: "event_id", type: "uuid", value: ({ record }) => record.eventId },
    { name: "started_at", type: "timestamptz", value: ({ record }) => startOf(record) },
    { name: "duration_ms", type: "double precision", value: ({ record }) => record.durationMs },
    { name: "trace_id", type: "uuid", value: ({ record }) => record.traceId },
    { name: "span_id", type: "text", value: ({ record }) => record.spanId },
    { name: "parent_span_id", type: "text", value: ({ record }) => record.parentSpanId },
    { name: "sent_as", type: "text", value: ({ record }) => record.sentAs },
    { name: "name", type: "text", value: ({ record }) => nameOf(record.name) },
    { name: "source", type: "text", value: ({ record }) => nameOf(record.source) },
    { name: "op", type: "text", value: ({ record }) => nameOf(record.op) },
    { name: "status", type: "text", value: ({ record }) => nameOf(record.status) },
    { name: "http_method", type: "text", value: ({ record }) => nameOf(record.httpMethod) },
    { name: "http_status", type: "smallint", value: ({ record }) => record.httpStatus },
    { name: "route", type: "text", value: ({ record }) => nameOf(record.route) },
    { name: "is_failed", type: "boolean", value: ({ record }) => record.isFailed },
    { name: "service", type: "text", value: ({ record }) => nameOf(record.service) },
    { name: "platform", type: "text", value: ({ record }) => nameOf(record.platform) },
    {
      name: "user_key",
      type: "text",
      value: ({ record }) => record.user === null ? null : nameOf(record.user),
    },
    {
      name: "tags",
      type: "json",
      value: ({ record }) => JSON.stringify(Object.fromEntries(record.tags)),
    },
    {
      name: "measurements",
      type: "json",
      value: ({ record }) => measurementsJson(record.measurements),
    },
    { name: "client_sample_rate", type: "real", value: ({ record }) => record.clientSampleRate },
    { name: "server_sample_rate", type: "real", value: ({ record }) => record.serverSampleRate },
    { name: "profile_id", type: "uuid", value: ({ record }) => record.profileId },
    { name: "profiler_id", type: "uuid", value: ({ record }) => record.profilerId },
    { name: "payload", type: "hex", value: ({ record }) => packedPayload(record.payload) },
  ],
};

/** Nothing stays nothing. */
function packedPayload(payload: string): string {
  return payload === "" ? "" : packText(payload);
}

export const SPAN_BATCHES: InsertOnly<RowOf<"spans">> = {
  table: "span_batches",
  id: "batch_id",
  idOf: ({ record }) => record.batchId,
  key: ["trace_id", "timestamp", "batch_id"],
  columns: [
    { name: "timestamp", type: "timestamptz", value: ({ record }) => record.timestamp },
    { name: "received_at", type: "timestamptz", value: ({ record }) => record.receivedAt },
    { name: "trace_id", type: "uuid", value: ({ record }) => record.traceId },
    { name: "batch_id", type: "uuid", value: ({ record }) => record.batchId },
    { name: "source_id", type: "bigint", value: ({ record }) => spanSource(record).sourceId },
    { name: "transaction", type: "text", value: ({ record }) => nameOf(record.transaction) },
    { name: "span_count", type: "integer", value: ({ record }) => record.spans.length },
    { name: "facts", type: "json", value: ({ record }) => storable(spanFactsJson(record.spans)) },
    { name: "span_ids", type: "hex", value: ({ record }) => packedSpans(record).ids },
    { name: "spans", type: "hex", value: ({ record }) => packedSpans(record).spans },
  ],
};

export const ATTACHMENTS: InsertOnly<RowOf<"attachment">> = {
  table: "attachments",
  id: "attachment_id",
  idOf: ({ record }) => record.attachmentId,
  key: ["event_id", "attachment_id"],
  columns: [
    { name: "event_id", type: "uuid", value: ({ record }) => record.eventId },
    { name: "attachment_id", type: "uuid", value: ({ record }) => record.attachmentId },
    { name: "timestamp", type: "timestamptz", value: ({ record }) => record.timestamp },
    { name: "received_at", type: "timestamptz", value: ({ record }) => record.receivedAt },
    { name: "filename", type: "text", value: ({ record }) => nameOf(record.filename) },
    { name: "content_type", type: "text", value: ({ record }) => nameOf(record.contentType) },
    { name: "attachment_type", type: "text", value: ({ record }) => nameOf(record.attachmentType) },
    { name: "size_bytes", type: "bigint", value: ({ record }) => record.blob.bytes.length },
    { name: "blob_key", type: "text", value: ({ record }) => record.blob.key },
  ],
};

export const FEEDBACK: InsertOnly<RowOf<"feedback">> = {
  table: "feedback",
  id: "feedback_id",
  idOf: ({ record }) => record.feedbackId,
  key: ["feedback_id"],
  columns: [
    ...ORIGIN,
    ...PLACE,
    { name: "feedback_id", type: "uuid", value: ({ record }) => record.feedbackId },
    { name: "event_id", type: "uuid", value: ({ record }) => record.eventId },
    { name: "message", type: "text", value: ({ record }) => storable(record.message) },
    { name: "name", type: "text", value: ({ record }) => nameOf(record.name) },
    { name: "email", type: "text", value: ({ record }) => nameOf(record.email) },
    { name: "url", type: "text", value: ({ record }) => storable(record.url) },
    { name: "source", type: "text", value: ({ record }) => nameOf(record.source) },
    { name: "platform", type: "text", value: ({ record }) => nameOf(record.platform) },
    {
      name: "user_key",
      type: "text",
      value: ({ record }) => record.user === null ? null : nameOf(record.user),
    },
    { name: "payload", type: "long_text", value: ({ record }) => record.payload },
  ],
};

export const LOGS: InsertOnly<RowOf<"log">> = {
  table: "logs",
  id: "log_id",
  idOf: ({ record }) => record.logId,
  key: ["timestamp", "log_id"],
  columns: [
    ...ORIGIN,
    ...PLACE,
    { name: "log_id", type: "uuid", value: ({ record }) => record.logId },
    { name: "nanos", type: "integer", value: ({ record }) => record.nanos },
    { name: "place", type: "integer", value: ({ record }) => record.place },
    { name: "level", type: "text", value: ({ record }) => record.level },
    { name: "body", type: "text", value: ({ record }) => storable(record.body) },
    { name: "logger", type: "text", value: ({ record }) => nameOf(record.logger) },
    { name: "server", type: "text", value: ({ record }) => nameOf(record.server) },
    { name: "sdk", type: "text", value: ({ record }) => nameOf(record.sdk) },
    { name: "attributes", type: "json", value: ({ record }) => record.attributes },
  ],
};

export const PROFILES: InsertOnly<RowOf<"profile">> = {
  table: "profiles",
  id: "profile_id",
  idOf: ({ record }) => record.profileId,
  key: ["profile_id"],
  columns: [
    ...ORIGIN,
    ...PLACE,
    { name: "profile_id", type: "uuid", value: ({ record }) => record.profileId },
    { name: "source", type: "text", value: ({ record }) => record.source },
    { name: "kind", type: "text", value: ({ record }) => record.profileKind },
    { name: "service", type: "text", value: ({ record }) => nameOf(record.service) },
    { name: "instance", type: "text", value: ({ record }) => nameOf(record.instance) },
    { name: "platform", type: "text", value: ({ record }) => nameOf(record.platform) },
    { name: "transaction", type: "text", value: ({ record }) => nameOf(record.transaction) },
    { name: "transaction_id", type: "uuid", value: ({ record }) => record.transactionId },
    { name: "profiler_id", type: "uuid", value: ({ record }) => record.profilerId },
    { name: "duration_ms", type: "double precision", value: ({ record }) => record.durationMs },
    { name: "period", type: "bigint", value: ({ record }) => String(record.period) },
    { name: "period_type", type: "text", value: ({ record }) => nameOf(record.periodType) },
    { name: "samples", type: "integer", value: ({ record }) => record.samples },
    {
      name: "types",
      type: "text[]",
      value: ({ record }) => toArrayLiteral(record.totals.map((total) => storable(typeId(total)))),
    },
    {
      name: "totals",
      type: "bigint[]",
      value: ({ record }) => toArrayLiteral(record.totals.map(({ total }) => total)),
    },
    { name: "is_delta", type: "boolean", value: ({ record }) => record.isDelta },
    { name: "labels", type: "json", value: ({ record }) => JSON.stringify(record.labels) },
    { name: "size_bytes", type: "bigint", value: ({ record }) => record.blob.bytes.length },
    { name: "blob_key", type: "text", value: ({ record }) => record.blob.key },
    { name: "original_key", type: "text", value: ({ record }) => record.original?.key ?? "" },
  ],
};

/** Who sent the spans of a batch. */
interface SpanSource {
  /** Made of what follows: 63 bits as decimal text. */
  readonly sourceId: string;
  readonly environment: string;
  readonly release: string;
  readonly service: string;
  readonly platform: string;
  readonly sdk: string;
  /** JSON text of an object. */
  readonly resource: string;
}

const made = new WeakMap<SpanBatch, SpanSource>();

/** The source of a batch, made once. */
function spanSource(batch: SpanBatch): SpanSource {
  let source = made.get(batch);
  if (source === undefined) made.set(batch, source = makeSource(batch));
  return source;
}

function makeSource(batch: SpanBatch): SpanSource {
  const facts = {
    environment: nameOf(batch.environment),
    release: nameOf(batch.release),
    service: nameOf(batch.service),
    platform: nameOf(batch.platform),
    sdk: nameOf(batch.sdk),
    resource: JSON.stringify(batch.resource),
  };
  const hash = createHash("md5").update(Object.values(facts).join("\x1f")).digest();
  return { sourceId: (hash.readBigUInt64LE(0) >> 1n).toString(), ...facts };
}

/** Writes the sources of batches that are not there yet, by the day of the batch. */
export async function saveSpanSources(
  tx: Transaction,
  rows: readonly OtherRow<SpanBatch>[],
): Promise<void> {
  const distinct = new Map(rows.map(({ projectId, record }) => {
    const day = record.timestamp.toISOString().slice(0, 10);
    const source = spanSource(record);
    return [`${projectId}/${day}/${source.sourceId}`, { projectId, day, ...source }];
  }));
  const sources = [...distinct.values()];
  const texts = (of: (source: typeof sources[number]) => string) => sources.map(of);
  await tx`
    insert into span_sources (
      project_id, "timestamp", source_id, environment, release, service, platform, sdk, resource
    )
    select * from unnest(
      ${texts(({ projectId }) => projectId)}::bigint[],
      ${texts(({ day }) => `${day}T00:00:00Z`)}::text[]::timestamptz[],
      ${texts(({ sourceId }) => sourceId)}::bigint[],
      ${texts(({ environment }) => environment)}::text[],
      ${texts(({ release }) => release)}::text[],
      ${texts(({ service }) => service)}::text[],
      ${texts(({ platform }) => platform)}::text[],
      ${texts(({ sdk }) => sdk)}::text[],
      ${texts(({ resource }) => resource)}::text[]::jsonb[]
    ) as incoming (
      project_id, "timestamp", source_id, environment, release, service, platform, sdk, resource
    )
    order by project_id, "timestamp", source_id
    on conflict (project_id, "timestamp", source_id) do nothing
  `;
}
