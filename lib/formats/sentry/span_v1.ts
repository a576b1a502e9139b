import type { Measurement, Span, SpanBatch } from "../../records/mod.ts";
import type { Policy } from "../../ingest/policy.ts";
import {
  asObject,
  clip,
  clippedName,
  isEmpty,
  type Raw,
  readBoolean,
  readText,
} from "../fields.ts";
import { readSpanId, readTraceId } from "../ids.ts";
import {
  clockOf,
  decoded,
  type ItemContext,
  type ItemDecoder,
  ItemError,
  jsonOf,
  refuseFiltered,
} from "./item_decoder.ts";
import { isBeforeRetention } from "../spans/before_retention.ts";
import { canonicalAttributes } from "../spans/canonical_attributes.ts";
import { sentryStatus } from "../spans/otel_status.ts";
import { transactionNameOf } from "../spans/page_name.ts";
import { serviceName } from "../spans/service_name.ts";
import { spanBatchId } from "../spans/span_ids.ts";
import { spanFacts } from "../spans/span_facts.ts";
import { readSpanKind } from "../spans/span_kind.ts";
import { readSpanLinks } from "../spans/span_links.ts";
import { readVitals } from "../spans/web_vitals.ts";
import { textIn } from "../attributes.ts";
import type { JsonObject } from "../json.ts";
import { TEXT } from "../limits.ts";
import { eventTime, nearestKept } from "../clock.ts";
import { readTime } from "../timestamps.ts";
import { clientSampleRate } from "./sample_rate.ts";

/** How a span's times are put right, and where it ends when it does not say. */
export interface SpanClock {
  /** Seconds to add to every time. */
  readonly shift: number;
  /** End of the transaction, in seconds, for spans that were never finished; null: those are no use. */
  readonly openEnd: number | null;
}

/** `{lcp: {value, unit}}`, without what is no number. */
export function readMeasurements(sent: unknown): Measurement[] {
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
export function readSpanV1(
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
  const kind = readSpanKind(raw.kind, attributes["sentry.kind"], attributes["otel.kind"]);
  const name = policy.scrubText(clip(readText(raw.name) ?? "", TEXT.name).toWellFormed());
  const op = clippedName(raw.op, 128) ?? "";
  const isSegment = readBoolean(raw.is_segment) ?? false;
  const origin = clippedName(raw.origin, TEXT.word) ?? "";
  const facts = spanFacts({
    kind,
    name,
    op: op === "default" ? "" : op,
    description: policy.scrubText(
      clip(readText(raw.description) ?? "", TEXT.url).toWellFormed(),
    ),
    attributes,
    isEntry: isSegment,
  });
  return {
    spanId,
    parentSpanId: readSpanId(raw.parent_span_id) ?? null,
    segmentId: readSpanId(raw.segment_id) ?? null,
    isSegment,
    start,
    end,
    name,
    kind,
    ...facts,
    description: clip(facts.description, TEXT.url),
    status: sentryStatus(status, attributes),
    origin,
    data: attributes,
    measurements: readVitals({
      measurements: readMeasurements(raw.measurements),
      attributes,
      origin,
      durationMs: (end - start) * 1000,
    }),
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
