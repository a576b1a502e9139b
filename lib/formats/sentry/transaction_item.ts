import type { Measurement, Outcome, Span, SpanBatch, Transaction } from "../../records/mod.ts";
import type { Policy } from "../decode_context.ts";
import { eventTime, isBeforeRetention, nearestKept, readTime } from "../event_time.ts";
import {
  asObject,
  clip,
  clippedName,
  isEmpty,
  type Raw,
  readBoolean,
  readInteger,
  readText,
  textIn,
} from "../fields.ts";
import { readEventId, readSpanId, readTraceId } from "../ids.ts";
import type { JsonObject } from "../json.ts";
import { TEXT } from "../limits.ts";
import { canonicalAttributes } from "../spans/canonical_attributes.ts";
import { entryFacts, transactionNameOf } from "../spans/entry_facts.ts";
import { entryTags } from "../spans/entry_keys.ts";
import { spanFacts, splitUrl } from "../spans/span_facts.ts";
import {
  readSpanKind,
  readSpanLinks,
  readVitals,
  serviceName,
  spanBatchId,
  spanTimes,
} from "../spans/span_fields.ts";
import { sentryStatus } from "../spans/status.ts";
import { searchTags } from "./error_event.ts";
import { type EventLike, readEventLike } from "./event_items.ts";
import {
  clockOf,
  decoded,
  type ItemContext,
  type ItemDecoder,
  ItemError,
  jsonOf,
  refuseFiltered,
} from "./item_decoder.ts";
import type { NormalizedEvent, Pair, TraceContext } from "./normalized_event.ts";
import { userKey } from "./surroundings.ts";

const OWN_FIELDS = ["spans", "measurements", "start_timestamp", "_metrics_summary", "breakdowns"];
/** SDKs stop at 1,000; what follows would hold the thread for long. */
const MAX_SPANS = 5_000;
/** Attribute of a transaction that says how many of its spans are beyond that. */
const SPANS_LEFT_OUT = "watchpost.spans_left_out";

/** A finished transaction with all its spans, as SDKs send it that do not stream spans. */
export const decodeTransaction: ItemDecoder = (item, context) => {
  const like = readEventLike(item, context, OWN_FIELDS);
  const { event, own, time } = like;
  const sentSpans = Array.isArray(own.spans) ? own.spans : [];
  const lost = (kind: Outcome["kind"], reason: string) =>
    new ItemError(kind, reason, [
      { category: "span", kind, reason, quantity: sentSpans.length },
    ]);
  const unwanted = context.policy.filterEvent(event, context);
  if (unwanted !== null) throw lost("filtered", unwanted);
  const start = readTime(own.start_timestamp);
  const { trace_id: traceId, span_id: spanId } = event.contexts?.trace ?? {};
  if (start === undefined || traceId === undefined || spanId === undefined) {
    throw lost("invalid", "invalid_transaction");
  }
  const startedAt = start + time.shift;
  if (time.isTooOld || startedAt > time.timestamp || isBeforeRetention(startedAt, context)) {
    throw lost("invalid", "invalid_transaction");
  }

  context.policy.scrubEvent(event);
  const most = context.work.takeElements(Math.min(sentSpans.length, MAX_SPANS));
  noteLeftOut(event, sentSpans.length - most);
  const transaction = transactionOf(like, { traceId, spanId, startedAt }, context);
  const clock = { shift: time.shift, openEnd: time.timestamp };
  const { spans, outcomes } = readSpans(sentSpans, most, clock, context);
  const records = spans.length === 0 ? [transaction] : [transaction, batchOf(transaction, spans)];
  return { records, outcomes };
};

/** Says it where the transaction is shown: among the attributes of its span. */
function noteLeftOut({ contexts }: NormalizedEvent, spans: number): void {
  const trace = contexts?.trace;
  if (spans <= 0 || trace === undefined) return;
  trace.data = { ...asObject(trace.data) as JsonObject | undefined, [SPANS_LEFT_OUT]: spans };
}

interface Place {
  readonly traceId: string;
  readonly spanId: string;
  /** In seconds. */
  readonly startedAt: number;
}

function transactionOf(
  { event, own, time }: EventLike,
  { traceId, spanId, startedAt }: Place,
  context: ItemContext,
): Transaction {
  const trace: TraceContext = event.contexts?.trace ?? {};
  const data = asObject(trace.data) as JsonObject | undefined ?? {};
  canonicalAttributes(data);
  const op = clippedName(trace.op, 128) ?? "default";
  const status = sentryStatus(clippedName(trace.status, TEXT.word) ?? "", data);
  const times = spanTimes({ start: startedAt, end: time.timestamp });
  const profile = event.contexts?.profile;
  return {
    kind: "transaction",
    eventId: event.event_id,
    sentAs: "transaction",
    traceId,
    spanId,
    parentSpanId: trace.parent_span_id ?? null,
    timestamp: new Date(time.timestamp * 1000),
    ...times,
    receivedAt: context.receivedAt,
    op,
    status,
    ...entryFacts({
      name: event.transaction ?? "",
      source: clippedName(event.transaction_info?.source, TEXT.word) ?? "unknown",
      op,
      status,
      kind: readSpanKind(data["sentry.kind"], data["otel.kind"]),
      attributes: data,
      httpMethod: event.request?.method ?? "",
      httpStatus: statusCodeOf(event, data),
      path: splitUrl(event.request?.url ?? "")?.path ?? "",
    }),
    service: serviceName(data, tagOf(event, "service")),
    platform: event.platform,
    environment: event.environment ?? "",
    release: event.release ?? "",
    dist: event.dist ?? "",
    user: userKey(event.user),
    tags: withEntryTags(searchTags(event), data),
    sdk: [event.sdk?.name, event.sdk?.version].filter((part) => part).join("/"),
    measurements: readVitals({
      measurements: readMeasurements(own.measurements),
      attributes: data,
      origin: "",
      durationMs: times.durationMs,
    }),
    clientSampleRate: clientSampleRate(
      context.header.trace?.sample_rate,
      trace.client_sample_rate,
      data["sentry.sample_rate"],
    ),
    serverSampleRate: 1,
    profileId: readEventId(profile?.profile_id) ?? null,
    profilerId: readEventId(profile?.profiler_id ?? data.profiler_id) ?? null,
    payload: JSON.stringify(event),
  };
}

function tagOf(event: NormalizedEvent, name: string): string | undefined {
  return event.tags?.find(([key]) => key === name)?.[1];
}

/** 100 to 599, from whichever place the SDK put it. */
function statusCodeOf(event: NormalizedEvent, data: JsonObject): number | null {
  for (
    const sent of [
      event.contexts?.response?.status_code,
      data["http.response.status_code"],
      tagOf(event, "http.status_code"),
    ]
  ) {
    const code = readInteger(sent);
    if (code !== undefined && code >= 100 && code < 600) return code;
  }
  return null;
}

function readSpans(
  sent: readonly unknown[],
  most: number,
  clock: SpanClock,
  context: ItemContext,
): { spans: Span[]; outcomes: Outcome[] } {
  const spans = sent.slice(0, most).flatMap((each) => {
    const raw = asObject(each);
    return raw === undefined ? [] : readSpanV1(raw, clock, context) ?? [];
  });
  const invalid = most - spans.length;
  const beyond = sent.length - most;
  const outcomes: Outcome[] = [
    { category: "span", kind: "invalid", reason: "invalid_span", quantity: invalid },
    { category: "span", kind: "too_large", reason: "too_many_elements", quantity: beyond },
  ];
  return { spans, outcomes: outcomes.filter(({ quantity }) => quantity > 0) };
}

function batchOf(transaction: Transaction, spans: readonly Span[]): SpanBatch {
  const { timestamp: _, ...place } = transaction;
  return {
    kind: "spans",
    batchId: transaction.eventId,
    traceId: place.traceId,
    // That of the transaction: its spans are found with it.
    timestamp: transaction.startedAt,
    receivedAt: place.receivedAt,
    environment: place.environment,
    release: place.release,
    transaction: place.name,
    service: place.service,
    platform: place.platform,
    sdk: place.sdk,
    resource: {},
    clientSampleRate: place.clientSampleRate,
    serverSampleRate: 1,
    spans,
  };
}

/** Tags hold where attributes of the root span have the same name. */
function withEntryTags(tags: readonly Pair[], attributes: JsonObject): Pair[] {
  const named = new Set(tags.map(([key]) => key));
  return [...tags, ...entryTags(attributes).filter(([key]) => !named.has(key))];
}

/** How a span's times are put right, and where it ends when it does not say. */
interface SpanClock {
  /** Seconds to add to every time. */
  readonly shift: number;
  /** End of the transaction, in seconds, for spans that were never finished; null: those are no use. */
  readonly openEnd: number | null;
}

/** `{lcp: {value, unit}}`, without what is no number. */
function readMeasurements(sent: unknown): Measurement[] {
  return Object.entries(asObject(sent) ?? {}).slice(0, 200).flatMap(([name, raw]) => {
    const { value, unit } = asObject(raw) ?? {};
    const key = clippedName(name, TEXT.word);
    const number = typeof value === "string" && value !== "" ? Number(value) : value;
    if (key === undefined || typeof number !== "number" || !Number.isFinite(number)) return [];
    const isShift = key === "cls" || key.startsWith("score.");
    return [{
      name: key,
      value: number,
      unit: clippedName(unit, TEXT.word) ?? (isShift ? "" : "millisecond"),
    }];
  });
}

/** A span below a transaction, or one that is sent alone; null when it has no id or no time. */
function readSpanV1(
  raw: Raw,
  { shift, openEnd }: SpanClock,
  context: Pick<ItemContext, "policy" | "receivedAt" | "retentionDays">,
): Span | null {
  const { policy } = context;
  const spanId = readSpanId(raw.span_id);
  const sentStart = readTime(raw.start_timestamp);
  const sentEnd = readTime(raw.timestamp);
  const end = sentEnd === undefined ? openEnd : nearestKept(sentEnd + shift, context);
  if (spanId === undefined || sentStart === undefined || end === null) return null;
  if (isBeforeRetention(sentStart + shift, context)) return null;
  const start = nearestKept(sentStart + shift, context);
  if (start > end) return null;
  const attributes = readData(raw, policy);
  const sentStatus = readText(raw.status) ?? readText(asObject(raw.tags)?.status);
  const status = clippedName(sentStatus, TEXT.word) ??
    (sentEnd === undefined ? "deadline_exceeded" : "");
  const op = clippedName(raw.op, 128) ?? "";
  return toSpan(raw, {
    spanId,
    segmentId: readSpanId(raw.segment_id) ?? null,
    start,
    end,
    kind: readSpanKind(raw.kind, attributes["sentry.kind"], attributes["otel.kind"]),
    op: op === "default" ? "" : op,
    description: policy.scrubText(clip(readText(raw.description) ?? "", TEXT.url).toWellFormed()),
    status,
    origin: clippedName(raw.origin, TEXT.word) ?? "",
    attributes,
    measurements: readMeasurements(raw.measurements),
  }, policy);
}

/** What the two forms of a span say in different places. */
interface SentSpan extends
  Pick<
    Span,
    | "spanId"
    | "segmentId"
    | "start"
    | "end"
    | "kind"
    | "op"
    | "description"
    | "status"
    | "origin"
    | "measurements"
  > {
  readonly attributes: JsonObject;
}

/** A span of either form, with what its attributes tell. */
export function toSpan(
  raw: Raw,
  { attributes, op, description, status, measurements, ...place }: SentSpan,
  policy: Policy,
): Span {
  const { kind, origin, start, end } = place;
  const name = policy.scrubText(clip(readText(raw.name) ?? "", TEXT.name).toWellFormed());
  const isSegment = readBoolean(raw.is_segment) ?? false;
  const facts = spanFacts({ kind, name, op, description, attributes, isEntry: isSegment });
  const durationMs = (end - start) * 1000;
  return {
    ...place,
    parentSpanId: readSpanId(raw.parent_span_id) ?? null,
    isSegment,
    name,
    ...facts,
    description: clip(facts.description, TEXT.url),
    status: sentryStatus(status, attributes),
    data: attributes,
    measurements: readVitals({ measurements, attributes, origin, durationMs }),
    events: [],
    links: readSpanLinks(raw.links, policy.scrubObject),
  };
}

/** The span's attributes and, in older SDKs, its tags, under their current names. */
function readData(raw: Raw, policy: Policy): JsonObject {
  const sent = asObject(raw.data) as JsonObject | undefined ?? {};
  const tags = asObject(raw.tags) as JsonObject | undefined;
  const data = tags === undefined || isEmpty(tags) ? sent : { ...sent, ...tags };
  policy.scrubObject(data);
  canonicalAttributes(data);
  return data;
}

/** One span by itself: browsers send web vitals so. */
export const decodeSpanV1: ItemDecoder = (item, context) => {
  const raw = asObject(jsonOf(item));
  const traceId = readTraceId(raw?.trace_id);
  if (raw === undefined || traceId === undefined) throw new ItemError("invalid", "invalid_span");
  const { shift, isTooOld } = eventTime(raw.timestamp, clockOf(context));
  if (isTooOld) throw new ItemError("invalid", "invalid_span");
  const data = asObject(raw.data) as JsonObject | undefined ?? {};
  const release = clippedName(data.release, TEXT.name) ?? "";
  refuseFiltered(release, context);
  const span = readSpanV1(raw, { shift, openEnd: null }, context);
  if (span === null) throw new ItemError("invalid", "invalid_span");
  const page = textIn(data, "transaction", "sentry.segment.name", "sentry.transaction");
  const batch: SpanBatch = {
    kind: "spans",
    batchId: spanBatchId(traceId, [span]),
    traceId,
    timestamp: new Date(span.start * 1000),
    receivedAt: context.receivedAt,
    environment: clippedName(data.environment, TEXT.word) ?? "",
    release,
    transaction: transactionNameOf(clippedName(page, TEXT.name) ?? ""),
    service: serviceName(data),
    platform: clippedName(raw.platform, TEXT.word) ?? "other",
    sdk: clippedName(context.header.sdk?.name, TEXT.name) ?? "",
    resource: {},
    clientSampleRate: clientSampleRate(context.header.trace?.sample_rate),
    serverSampleRate: 1,
    spans: [span],
  };
  return decoded(batch);
};

/**
 * The share of traces that a client kept, out of the first value that says one: 0 < rate <= 1. What is none of that
 * says nothing, and stands for 1.
 */
export function clientSampleRate(...sent: readonly unknown[]): number {
  for (const value of sent) {
    const rate = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
    if (typeof rate === "number" && rate > 0 && rate <= 1) return rate;
  }
  return 1;
}
