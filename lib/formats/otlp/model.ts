/**
 * What both encodings of OTLP are read into. Texts are well-formed Unicode without NUL and cut to the limits of `request.ts`; times
 * are in seconds since 1970 with microseconds, 0 when unset; ids are lower-case hex digits, `""` when unset or all
 * zero, and of a wrong length when the client sent a wrong one.
 */
import type { DecodeContext } from "../decode_context.ts";
import { clip } from "../fields.ts";
import type { Json, JsonObject } from "../json.ts";
import { isInWindow } from "../event_time.ts";

/** What has attributes. */
export interface Attributed {
  /** At most {@linkcode LIMITS.attributes}; the last of each name. */
  readonly attributes: JsonObject;
  /** How many were kept, repeated names included. */
  attributeCount: number;
  /** By the client and by us. */
  droppedAttributes: number;
}

/** What one instrumentation library says of one resource. */
export interface Scope<T> extends Attributed {
  name: string;
  version: string;
  readonly items: T[];
}

/** What one resource says: a process, as a rule. */
export interface ResourceGroup<T> extends Attributed {
  readonly scopes: Scope<T>[];
}

/** `Span.Event`. */
export interface OtlpSpanEvent extends Attributed {
  time: number;
  /** Nanoseconds beyond its microseconds, 0 to 999. */
  fine: number;
  name: string;
}

/** `Span.Link`. */
export interface OtlpSpanLink extends Attributed {
  traceId: string;
  spanId: string;
}

/** `Span`. */
export interface OtlpSpan extends Attributed {
  traceId: string;
  spanId: string;
  parentSpanId: string;
  traceState: string;
  name: string;
  /** 0 to 5, as on the wire. */
  kind: number;
  start: number;
  end: number;
  /** Nanoseconds beyond the microseconds of start and end, 0 to 999. */
  startFine: number;
  endFine: number;
  readonly events: OtlpSpanEvent[];
  droppedEvents: number;
  readonly links: OtlpSpanLink[];
  droppedLinks: number;
  statusCode: 0 | 1 | 2;
  statusMessage: string;
  flags: number;
}

/** `LogRecord`. */
export interface OtlpLog extends Attributed {
  /** Both in nanoseconds since 1970; 0 when unset. */
  time: bigint;
  observedTime: bigint;
  /** 1 to 24, or 0. */
  severity: number;
  severityText: string;
  body: Json;
  traceId: string;
  spanId: string;
  eventName: string;
}

/** A resource of which nothing is read yet. */
export function newGroup<T>(): ResourceGroup<T> {
  return { attributes: {}, attributeCount: 0, droppedAttributes: 0, scopes: [] };
}

/** A scope of which nothing is read yet. */
export function newScope<T>(): Scope<T> {
  return {
    attributes: {},
    attributeCount: 0,
    droppedAttributes: 0,
    name: "",
    version: "",
    items: [],
  };
}

/** A span of which nothing is read yet. */
export function newSpan(): OtlpSpan {
  return {
    attributes: {},
    attributeCount: 0,
    droppedAttributes: 0,
    traceId: "",
    spanId: "",
    parentSpanId: "",
    traceState: "",
    name: "",
    kind: 0,
    start: 0,
    end: 0,
    startFine: 0,
    endFine: 0,
    events: [],
    droppedEvents: 0,
    links: [],
    droppedLinks: 0,
    statusCode: 0,
    statusMessage: "",
    flags: 0,
  };
}

/** An event of which nothing is read yet. */
export function newSpanEvent(): OtlpSpanEvent {
  return { attributes: {}, attributeCount: 0, droppedAttributes: 0, time: 0, fine: 0, name: "" };
}

/** A link of which nothing is read yet. */
export function newSpanLink(): OtlpSpanLink {
  return { attributes: {}, attributeCount: 0, droppedAttributes: 0, traceId: "", spanId: "" };
}

/** A log record of which nothing is read yet. */
export function newLog(): OtlpLog {
  return {
    attributes: {},
    attributeCount: 0,
    droppedAttributes: 0,
    time: 0n,
    observedTime: 0n,
    severity: 0,
    severityText: "",
    body: null,
    traceId: "",
    spanId: "",
    eventName: "",
  };
}

/** A text that Postgres takes, U+FFFD standing for NUL and lone surrogates, cut to `limit` UTF-16 units. */
export function cleanText(text: string, limit: number): string {
  // Cut twice: before the work, so that it is bounded, and after it.
  const start = text.length > limit ? text.slice(0, limit + 1) : text;
  const storable = start.includes("\0") ? start.replaceAll("\0", "\ufffd") : start;
  return clip(storable.toWellFormed(), limit);
}

/** A time as seconds since 1970 with whole microseconds, and the nanoseconds beyond them. */
interface FineTime {
  /** 0 when unset. */
  readonly seconds: number;
  /** 0 to 999. */
  readonly fine: number;
}

/** Takes nanoseconds since 1970 apart. The first of them is a time, and a wrong one: only 0 is unset. */
export function fineTimeOf(nanos: bigint): FineTime {
  if (nanos <= 0n) return { seconds: secondsOf(Number(nanos)), fine: 0 };
  return { seconds: (Number(nanos / 1_000n) || 1) / 1e6, fine: Number(nanos % 1_000n) };
}

/** Nanoseconds since 1970 as whole microseconds: 0 only when unset, since the first nanosecond is a time, and a wrong one. */
export function microsOf(nanos: number): number {
  return Number.isNaN(nanos) ? 0 : Math.round(nanos / 1000) || Math.sign(nanos);
}

/**
 * Nanoseconds since 1970 as seconds with microseconds. A double holds the nanoseconds of this century to the nearest
 * 256, which microseconds do not show.
 *
 * @returns 0 when unset; what is no time of this century is left for others to judge
 */
export function secondsOf(nanos: number): number {
  return microsOf(nanos) / 1e6;
}

/** Why a span is rejected, as outcomes are counted. */
type SpanFault = "bad_id" | "bad_time";

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

/** JSON has no names for what is no finite number. */
export function numberOrName(value: number | null): Json {
  return value === null || Number.isFinite(value) ? value : String(value);
}
