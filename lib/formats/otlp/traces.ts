import type {
  Batch,
  Span,
  SpanBatch,
  TelemetryRecord,
  Transaction,
} from "../../records/mod.ts";
import { isFailedStatus } from "../../records/span_status.ts";
import type { DecodeContext } from "../../ingest/protocol.ts";
import { spanBatchId } from "../spans/span_ids.ts";
import { toTransaction } from "./entry.ts";
import { ErrorCollector } from "./collector.ts";
import type { OtlpSpan, ResourceGroup } from "./model.ts";
import { OutcomeTally } from "../outcome_tally.ts";
import { type StoredPart, storeSpans } from "./stored_spans.ts";
import { type TracePart, tracePartsOf } from "./trace_parts.ts";

/**
 * Makes the records of an export request: for each process and trace one row of spans, a transaction for every entry
 * span, and an error for every exception.
 *
 * @param groups what the request holds, whose attributes are taken over and changed in place
 */
export function traceBatch(
  groups: readonly ResourceGroup<OtlpSpan>[],
  context: DecodeContext,
): Batch {
  const tally = new OutcomeTally();
  const errors = new ErrorCollector(context, tally);
  const records: TelemetryRecord[] = [];
  for (const part of tracePartsOf(groups, context, tally)) {
    const stored = storeSpans(part, context);
    const entries = entriesOf(part, stored, context);
    for (const entry of entries) records.push(entry);
    for (const some of inRows(stored)) records.push(batchOf(part, some, entries, context));
    addErrors(part, stored, entries, errors);
  }
  return { records: [...records, ...errors.records], outcomes: tally.outcomes, eventId: null };
}

/** Spans of one row: packing more at a time would hold up other requests. */
const ROW_SPANS = 2_000;

/** A large part in rows of spans that began about the same time. */
function inRows({ resource, spans }: StoredPart): StoredPart[] {
  if (spans.length <= ROW_SPANS) return [{ resource, spans }];
  const sorted = spans.toSorted((a, b) => a.span.start - b.span.start);
  return Array.from({ length: Math.ceil(sorted.length / ROW_SPANS) }, (_, row) => ({
    resource,
    spans: sorted.slice(row * ROW_SPANS, (row + 1) * ROW_SPANS),
  }));
}

function entriesOf(
  { traceId, source: { sender } }: TracePart,
  { spans }: StoredPart,
  context: DecodeContext,
): Transaction[] {
  return spans.filter(({ span }) => span.isSegment).map(({ span, sampleRate }) =>
    toTransaction(span, { traceId, sender, clientSampleRate: sampleRate }, context)
  );
}

function batchOf(
  { traceId, source: { sender } }: TracePart,
  { resource, spans: stored }: StoredPart,
  entries: readonly Transaction[],
  { receivedAt }: DecodeContext,
): SpanBatch {
  const spans = stored.map(({ span }) => span);
  const start = spans.reduce((min, span) => Math.min(min, span.start), Infinity);
  const [entry, ...others] = entries;
  return {
    kind: "spans",
    batchId: spanBatchId(traceId, spans),
    traceId,
    timestamp: new Date(start * 1000),
    receivedAt,
    environment: sender.environment,
    release: sender.release,
    // Of several it would be anybody's.
    transaction: entry !== undefined && others.length === 0 ? entry.name : "",
    service: sender.service,
    platform: sender.platform,
    sdk: sender.sdk,
    resource,
    // Samplers decide for whole traces, but not every library passes on what they did.
    clientSampleRate: stored.find(({ sampleRate }) => sampleRate !== 1)?.sampleRate ?? 1,
    serverSampleRate: 1,
    spans,
  };
}

function addErrors(
  { traceId, source: { sender } }: TracePart,
  { resource, spans }: StoredPart,
  entries: readonly Transaction[],
  errors: ErrorCollector,
): void {
  const names = new Map(entries.map(({ spanId, name }) => [spanId, name]));
  const broken = new Set(spans.filter(({ span }) => isBroken(span)).map(({ span }) => span.spanId));
  for (const { span, exceptions } of spans) {
    const transaction = names.get(span.segmentId ?? "") ?? "";
    // Who answers 5xx did not handle what failed; few libraries say that an exception escaped.
    const isEscaped = broken.has(span.segmentId ?? "") &&
      (isFailedStatus(span.status) || broken.has(span.spanId));
    const found = isEscaped ? exceptions.map((each) => ({ ...each, isEscaped })) : exceptions;
    errors.addOfSpan(found, { traceId, span, sender, resource, transaction });
  }
}

const SERVER_FAULT = 500;

/** Whether a server answered that it failed. */
function isBroken({ kind, data }: Span): boolean {
  return kind === "server" && Number(data["http.response.status_code"]) >= SERVER_FAULT;
}
