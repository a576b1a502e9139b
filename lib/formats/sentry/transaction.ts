import type { Outcome, Span, SpanBatch, Transaction } from "../../records/mod.ts";
import { isBeforeRetention } from "../spans/before_retention.ts";
import { canonicalAttributes } from "../spans/canonical_attributes.ts";
import { entryFacts } from "../spans/entry_facts.ts";
import { entryTags } from "../spans/entry_tags.ts";
import { splitUrl } from "../spans/http_request.ts";
import { sentryStatus } from "../spans/otel_status.ts";
import { serviceName } from "../spans/service_name.ts";
import { readSpanKind } from "../spans/span_kind.ts";
import { spanTimes } from "../spans/span_times.ts";
import { readVitals } from "../spans/web_vitals.ts";
import { searchTags } from "./event_tags.ts";
import { asObject, clippedName, readInteger } from "../fields.ts";
import { readEventId } from "../ids.ts";
import { type ItemContext, type ItemDecoder, ItemError } from "./item_decoder.ts";
import { TEXT } from "../limits.ts";
import { userKey } from "./user.ts";
import type { JsonObject } from "../json.ts";
import type { NormalizedEvent, Pair, TraceContext } from "./normalized_event.ts";
import { readTime } from "../timestamps.ts";
import { type EventLike, readEventLike } from "./event_like.ts";
import { clientSampleRate } from "./sample_rate.ts";
import { readMeasurements, readSpanV1, type SpanClock } from "./span_v1.ts";

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
