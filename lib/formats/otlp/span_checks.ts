import type { DecodeContext } from "../../ingest/protocol.ts";
import type { OtlpSpan } from "./model.ts";
import { isInWindow } from "./time_window.ts";

/** Why a span is rejected, as outcomes are counted. */
export type SpanFault = "bad_id" | "bad_time";

/** Hex digits of a trace's and a span's id. */
const TRACE_ID = 32;
const SPAN_ID = 16;

/** Whether this may be the id of a trace. */
export function isTraceId(id: string): boolean {
  return id.length === TRACE_ID;
}

/** Whether this may be the id of a span. */
export function isSpanId(id: string): boolean {
  return id.length === SPAN_ID;
}

/** Sets the times right that can be, in place, and says why the span cannot be stored, or null. */
export function checkSpan(span: OtlpSpan, context: DecodeContext): SpanFault | null {
  const { traceId, spanId, parentSpanId } = span;
  const isPlaced = isTraceId(traceId) && isSpanId(spanId) &&
    (parentSpanId === "" || isSpanId(parentSpanId));
  if (!isPlaced) return "bad_id";
  const now = context.receivedAt.getTime() / 1000;
  if (span.end === 0) [span.end, span.endFine] = [span.start || now, span.startFine];
  if (span.start === 0) [span.start, span.startFine] = [span.end, span.endFine];
  const isTimely = isInWindow(span.end, context) && isInWindow(span.start, context);
  const isBackwards = span.end < span.start ||
    (span.end === span.start && span.endFine < span.startFine);
  if (isBackwards) [span.end, span.endFine] = [span.start, span.startFine];
  return isTimely ? null : "bad_time";
}

const SERVER = 2;
const CONSUMER = 5;
/** The two bits of the flags that say "known", and "another process". */
const REMOTE_PARENT = 0x300;

/** Whether a process's part of a trace begins here. Never depends on other spans, which may come at any time. */
export function isEntrySpan({ parentSpanId, kind, flags }: OtlpSpan): boolean {
  return parentSpanId === "" || kind === SERVER || kind === CONSUMER ||
    (flags & REMOTE_PARENT) === REMOTE_PARENT;
}
