import type { DecodeContext } from "../decode_context.ts";
import type { Batch, Span, SpanBatch, TelemetryRecord, Transaction } from "../../records/mod.ts";
import { isFailedStatus } from "../../records/span_rules.ts";
import { clippedName, readNumber, textIn } from "../fields.ts";
import type { JsonObject } from "../json.ts";
import { TEXT } from "../limits.ts";
import { OutcomeTally } from "../outcome_tally.ts";
import { entryFacts } from "../spans/entry_facts.ts";
import { entryTags } from "../spans/entry_keys.ts";
import { entryEventId, spanBatchId, spanTimes } from "../spans/span_fields.ts";
import { ErrorCollector } from "./exceptions.ts";
import type { OtlpSpan, ResourceGroup } from "./model.ts";
import type { OtlpSender } from "./resource_attributes.ts";
import { type StoredPart, storeSpans, type TracePart, tracePartsOf } from "./spans.ts";

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
  return kind === "server" && (readNumber(data["http.response.status_code"]) ?? 0) >= SERVER_FAULT;
}

/** What an entry span's record needs beside the span. */
interface EntryScene {
  readonly traceId: string;
  readonly sender: OtlpSender;
  readonly clientSampleRate: number;
}

/** Makes the transaction of an entry span, which is stored as a span as well. */
function toTransaction(
  span: Span,
  { traceId, sender, clientSampleRate }: EntryScene,
  { receivedAt }: DecodeContext,
): Transaction {
  const attributes = span.data as JsonObject;
  const { name, kind, op, status } = span;
  const facts = entryFacts({ name, source: "", op, kind, status, attributes });
  return {
    kind: "transaction",
    eventId: entryEventId(traceId, span.spanId),
    sentAs: "entry",
    traceId,
    spanId: span.spanId,
    parentSpanId: span.parentSpanId,
    timestamp: new Date(span.end * 1000),
    ...spanTimes(span),
    receivedAt,
    ...facts,
    op,
    status,
    environment: sender.environment,
    release: sender.release,
    dist: "",
    service: sender.service,
    platform: sender.platform,
    sdk: sender.sdk,
    user: userOf(attributes),
    tags: entryTags(attributes),
    measurements: [],
    clientSampleRate,
    serverSampleRate: 1,
    profileId: null,
    profilerId: null,
    payload: "",
  };
}

/** Who was served, as `id:7` or `email:a@b.c`; null when nothing says. */
function userOf(attributes: JsonObject): string | null {
  const id = clippedName(textIn(attributes, "enduser.id", "user.id"), TEXT.name);
  if (id !== undefined) return `id:${id}`;
  const email = clippedName(textIn(attributes, "user.email"), TEXT.email);
  return email === undefined ? null : `email:${email}`;
}
