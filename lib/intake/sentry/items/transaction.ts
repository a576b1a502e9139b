import type { Outcome, Span, SpanBatch, Transaction } from "../../../telemetry/records.ts";
import { searchTags } from "../event_tags.ts";
import { asObject, clippedName, readInteger } from "../fields.ts";
import { readEventId } from "../ids.ts";
import { type ItemContext, type ItemDecoder, ItemError } from "../item_decoder.ts";
import { TEXT } from "../limits.ts";
import { userKey } from "../normalize/user.ts";
import { nearestKept } from "../normalize/clock.ts";
import type { NormalizedEvent, TraceContext } from "../normalized_event.ts";
import { readTime } from "../timestamps.ts";
import { type EventLike, readEventLike } from "./event_like.ts";
import { clientSampleRate } from "./sample_rate.ts";
import { readMeasurements, readSpanV1, type SpanClock } from "./span_v1.ts";

const OWN_FIELDS = ["spans", "measurements", "start_timestamp", "_metrics_summary", "breakdowns"];
/** SDKs stop at 1,000; what follows would hold the thread for long. */
const MAX_SPANS = 5_000;
const UNLABELED = "<unlabeled transaction>";

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
  if (start + time.shift > time.timestamp) throw lost("invalid", "invalid_transaction");
  const startedAt = nearestKept(start + time.shift, context);

  context.policy.scrubEvent(event);
  const transaction = transactionOf(like, { traceId, spanId, startedAt }, context);
  const clock = { shift: time.shift, openEnd: time.timestamp };
  const { spans, outcomes } = readSpans(sentSpans, clock, context);
  const records = spans.length === 0 ? [transaction] : [transaction, batchOf(transaction, spans)];
  return { records, outcomes };
};

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
  const data = asObject(trace.data) ?? {};
  const profile = event.contexts?.profile;
  return {
    kind: "transaction",
    eventId: event.event_id,
    sentAs: "transaction",
    traceId,
    spanId,
    parentSpanId: trace.parent_span_id ?? null,
    timestamp: new Date(time.timestamp * 1000),
    startedAt: new Date(startedAt * 1000),
    durationMs: (time.timestamp - startedAt) * 1000,
    receivedAt: context.receivedAt,
    name: event.transaction ?? UNLABELED,
    source: clippedName(event.transaction_info?.source, TEXT.word) ?? "unknown",
    op: clippedName(trace.op, 128) ?? "default",
    status: clippedName(trace.status, TEXT.word) ?? "",
    httpMethod: methodOf(event, data),
    httpStatus: statusCodeOf(event, data),
    platform: event.platform,
    environment: event.environment ?? "",
    release: event.release ?? "",
    dist: event.dist ?? "",
    user: userKey(event.user),
    tags: searchTags(event),
    sdk: [event.sdk?.name, event.sdk?.version].filter((part) => part).join("/"),
    measurements: readMeasurements(own.measurements),
    clientSampleRate: clientSampleRate(
      context.header.trace?.sample_rate,
      trace.client_sample_rate,
      data["sentry.sample_rate"],
    ),
    profileId: readEventId(profile?.profile_id) ?? null,
    profilerId: readEventId(profile?.profiler_id ?? data.profiler_id) ?? null,
    payload: JSON.stringify(event),
  };
}

function methodOf(event: NormalizedEvent, data: Readonly<Record<string, unknown>>): string {
  const sent = event.request?.method ?? data["http.request.method"] ?? data["http.method"];
  return clippedName(sent, 32)?.toUpperCase() ?? "";
}

/** 100 to 599, from whichever place the SDK put it. */
function statusCodeOf(
  event: NormalizedEvent,
  data: Readonly<Record<string, unknown>>,
): number | null {
  const tag = event.tags?.find(([key]) => key === "http.status_code")?.[1];
  for (
    const sent of [
      event.contexts?.response?.status_code,
      data["http.response.status_code"],
      data["http.status_code"],
      tag,
    ]
  ) {
    const code = readInteger(sent);
    if (code !== undefined && code >= 100 && code < 600) return code;
  }
  return null;
}

function readSpans(
  sent: readonly unknown[],
  clock: SpanClock,
  context: ItemContext,
): { spans: Span[]; outcomes: Outcome[] } {
  const spans = sent.slice(0, MAX_SPANS).flatMap((each) => {
    const raw = asObject(each);
    return raw === undefined ? [] : readSpanV1(raw, clock, context) ?? [];
  });
  const invalid = Math.min(sent.length, MAX_SPANS) - spans.length;
  const beyond = Math.max(0, sent.length - MAX_SPANS);
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
    platform: place.platform,
    sdk: place.sdk,
    clientSampleRate: place.clientSampleRate,
    spans,
  };
}
