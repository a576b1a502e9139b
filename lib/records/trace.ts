import type { Measurement, Origin, SampleRates } from "./origin.ts";

/** The local root of a trace: an SDK's transaction, a segment span of a span container, an entry span of OTLP. */
export interface Transaction extends Origin, SampleRates {
  readonly kind: "transaction";
  /** 32 lower-case hex digits; of a span made from its trace and span id. */
  readonly eventId: string;
  /** `segment` and `entry` (OTLP) are spans as well, stored and counted as such. */
  readonly sentAs: "transaction" | "segment" | "entry";
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | null;
  /** `timestamp` is its end; never before `startedAt`. */
  readonly startedAt: Date;
  /** Microseconds beyond the milliseconds of `startedAt`, 0 to 999; absent: none. */
  readonly startedMicros?: number;
  readonly durationMs: number;
  /** With placeholders where ids were, see `transactionNameOf()`. */
  readonly name: string;
  /** What it was called before the project used too many names; absent for nearly all. */
  readonly foldedName?: string;
  /** Where the name comes from, as `route`, `url`, `custom`; `sanitized` when we put in placeholders. */
  readonly source: string;
  /** As `http.server`. */
  readonly op: string;
  /** As `ok`, `internal_error`; `""` when unset. */
  readonly status: string;
  readonly isFailed: boolean;
  readonly httpMethod: string;
  readonly httpStatus: number | null;
  /** Path template of an HTTP server's endpoint as its framework writes it, as `/users/:id`; else `""`. */
  readonly route: string;
  /** Service name, or `""`. */
  readonly service: string;
  readonly platform: string;
  readonly dist: string;
  readonly user: string | null;
  readonly tags: readonly (readonly [key: string, value: string])[];
  readonly sdk: string;
  readonly measurements: readonly Measurement[];
  /** 32 hex digits of a profile, or of a continuous profiler; or null. */
  readonly profileId: string | null;
  readonly profilerId: string | null;
  /** The normalised event as JSON text, without spans; `""` when the span says it all. */
  readonly payload: string;
}

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
