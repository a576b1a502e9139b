import type { Measurement } from "./measurement.ts";
import type { Origin, SampleRates } from "./origin.ts";

export const SPAN_KINDS = ["", "internal", "server", "client", "producer", "consumer"] as const;
/** As OpenTelemetry has it; `""` when the client did not say. */
export type SpanKind = (typeof SPAN_KINDS)[number];

export const SPAN_CATEGORIES = [
  "",
  "http",
  "db",
  "cache",
  "queue",
  "rpc",
  "render",
  "resource",
  "file",
  "ai",
] as const;
/** What a span spends its time on; `""` is the program itself. `http` and `rpc` are outbound calls only. */
export type SpanCategory = (typeof SPAN_CATEGORIES)[number];

/** Something that happened during a span. */
export interface SpanEvent {
  /** In seconds since 1970. */
  readonly time: number;
  /** Nanoseconds beyond the microseconds of `time`, 0 to 999; absent: none. */
  readonly fine?: number;
  readonly name: string;
  readonly attributes: Readonly<Record<string, unknown>>;
}

/** A span that this one is related to without being its child. */
export interface SpanLink {
  readonly traceId: string;
  readonly spanId: string;
  readonly attributes: Readonly<Record<string, unknown>>;
}

/** One span: below a transaction, of a span container, or of OTLP. Times in seconds since 1970 with fractions. */
export interface Span {
  readonly spanId: string;
  readonly parentSpanId: string | null;
  /** The local root it belongs to, or null when unknown. */
  readonly segmentId: string | null;
  /** A local root: it is a transaction as well. */
  readonly isSegment: boolean;
  readonly start: number;
  /** Not before `start`. */
  readonly end: number;
  /** Nanoseconds beyond the microseconds of `start` and `end`, 0 to 999 each; absent: none. */
  readonly fine?: readonly [start: number, end: number];
  /** As the client sent it; `""` in Sentry's older form, which has a description only. */
  readonly name: string;
  readonly kind: SpanKind;
  readonly op: string;
  readonly description: string;
  readonly category: SpanCategory;
  /**
   * What spans of one kind of work have in common, such as a statement without its literals; `""` for those that
   * belong to no {@linkcode SpanCategory}.
   */
  readonly group: string;
  /** As `ok`, `internal_error`; `""` when unset. */
  readonly status: string;
  readonly origin: string;
  /** Free-form attributes as JSON values. */
  readonly data: Readonly<Record<string, unknown>>;
  readonly measurements: readonly Measurement[];
  readonly events: readonly SpanEvent[];
  readonly links: readonly SpanLink[];
}

/** The spans of one trace and one sender that one request brought: one row. `timestamp` is the earliest start. */
export interface SpanBatch extends Origin, SampleRates {
  readonly kind: "spans";
  /** 32 lower-case hex digits, the same again for the same spans: see `spanBatchId()`. */
  readonly batchId: string;
  readonly traceId: string;
  /** Name of the transaction they belong to, or `""`. */
  readonly transaction: string;
  readonly service: string;
  readonly platform: string;
  readonly sdk: string;
  /** Attributes of OTLP's resource and scope, the same for all spans; `{}` when there are none. */
  readonly resource: Readonly<Record<string, unknown>>;
  /** At least one. */
  readonly spans: readonly Span[];
}
