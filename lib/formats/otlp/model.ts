/**
 * What both encodings of OTLP are read into. Texts are well-formed Unicode without NUL and cut to `limits.ts`; times
 * are in seconds since 1970 with microseconds, 0 when unset; ids are lower-case hex digits, `""` when unset or all
 * zero, and of a wrong length when the client sent a wrong one.
 */
import type { Json, JsonObject } from "../json.ts";

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
