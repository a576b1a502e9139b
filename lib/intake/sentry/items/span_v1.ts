import type { Measurement, Span, SpanBatch } from "../../../telemetry/records.ts";
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
  idIn,
  type ItemContext,
  type ItemDecoder,
  ItemError,
  jsonOf,
  refuseFiltered,
} from "../item_decoder.ts";
import type { JsonObject } from "../json.ts";
import { TEXT } from "../limits.ts";
import { eventTime, nearestKept } from "../normalize/clock.ts";
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
  const start = nearestKept(sentStart + shift, context);
  if (start > end) return null;
  const data = asObject(raw.data) as JsonObject | undefined ?? {};
  policy.scrubObject(data);
  const tags = asObject(raw.tags);
  const status = readText(raw.status) ?? readText(tags?.status);
  return {
    spanId,
    parentSpanId: readSpanId(raw.parent_span_id) ?? null,
    segmentId: readSpanId(raw.segment_id) ?? null,
    isSegment: readBoolean(raw.is_segment) ?? false,
    start,
    end,
    op: clippedName(raw.op, 128) ?? "default",
    description: policy.scrubText(
      clip(readText(raw.description) ?? readText(raw.name) ?? "", TEXT.url).toWellFormed(),
    ),
    status: clippedName(status, TEXT.word) ?? (sentEnd === undefined ? "deadline_exceeded" : ""),
    origin: clippedName(raw.origin, TEXT.word) ?? "",
    data: tags === undefined || isEmpty(tags) ? data : { ...data, ...tags },
    measurements: readMeasurements(raw.measurements),
  };
}

/** One span by itself: browsers send web vitals so. */
export const decodeSpanV1: ItemDecoder = (item, context) => {
  const raw = asObject(jsonOf(item));
  const traceId = readTraceId(raw?.trace_id);
  if (raw === undefined || traceId === undefined) throw new ItemError("invalid", "invalid_span");
  const { shift } = eventTime(raw.timestamp, clockOf(context));
  const data = asObject(raw.data) ?? {};
  const release = clippedName(data.release, TEXT.name) ?? "";
  refuseFiltered(release, context);
  const span = readSpanV1(raw, { shift, openEnd: null }, context);
  if (span === null) throw new ItemError("invalid", "invalid_span");
  const batch: SpanBatch = {
    kind: "spans",
    batchId: idIn(context, "span"),
    traceId,
    timestamp: new Date(span.start * 1000),
    receivedAt: context.receivedAt,
    environment: clippedName(data.environment, TEXT.word) ?? "",
    release,
    transaction: clippedName(data.transaction, TEXT.name) ?? "",
    platform: clippedName(raw.platform, TEXT.word) ?? "other",
    sdk: clippedName(context.header.sdk?.name, TEXT.name) ?? "",
    clientSampleRate: clientSampleRate(context.header.trace?.sample_rate),
    spans: [span],
  };
  return decoded(batch);
};
