/**
 * The pivot: what every protocol turns into and what every page reads. Protocols know records and
 * never SQL; repositories know records and never HTTP.
 */

export const LEVELS = ["debug", "info", "warning", "error", "fatal"] as const;
export type Level = (typeof LEVELS)[number];

/** `error`: it has exceptions · `default`: a message · `csp`: a security report. */
export type ErrorType = "error" | "default" | "csp";

/** Which issue an event belongs to. Any known hash of any version finds it; the first is stored for new ones. */
export interface Grouping {
  /** Version of the algorithm that made the hashes, kept with each group. */
  readonly version: number;
  /** 32 lower-case hex digits each, most specific first; at least one. */
  readonly hashes: readonly [string, ...string[]];
}

/** What the issue list shows of the exception that names the issue. */
export interface IssueMetadata {
  readonly type?: string;
  readonly value?: string;
  readonly filename?: string;
  readonly function?: string;
}

/** One error or message, normalised: columns that lists need, and the whole event as JSON text. */
export interface ErrorEvent {
  readonly kind: "error";
  /** 32 lower-case hex digits, no hyphens. */
  readonly eventId: string;
  /** When it happened, corrected for client drift and clamped to the retention. */
  readonly timestamp: Date;
  readonly receivedAt: Date;
  readonly type: ErrorType;
  readonly level: Level;
  readonly platform: string;
  /** `""` when the client named none; the same for release and dist. */
  readonly environment: string;
  readonly release: string;
  readonly dist: string;
  /** Transaction name that the event happened in, or `""`. */
  readonly transaction: string;
  readonly title: string;
  readonly culprit: string;
  readonly metadata: IssueMetadata;
  /** Identity for "users affected", as `id:7`, `username:ann`, `email:a@b.c`, `ip:10.0.0.1`; or null. */
  readonly user: string | null;
  /** 32 lower-case hex digits, or null. */
  readonly traceId: string | null;
  /** 16 lower-case hex digits, or null. */
  readonly spanId: string | null;
  /** Searchable tags without duplicates, at most 100; keys and values at most 200 characters. */
  readonly tags: readonly (readonly [key: string, value: string])[];
  /** `name/version` of the SDK, or `""`. */
  readonly sdk: string;
  readonly grouping: Grouping;
  /** The normalised event as JSON text: well-formed Unicode without NUL. */
  readonly payload: string;
}

/** What most records know of where they came from. Texts are `""` when the client named none. */
export interface Origin {
  /** Corrected for client drift and clamped to the retention: a partition for it exists or can be made. */
  readonly timestamp: Date;
  readonly receivedAt: Date;
  readonly environment: string;
  readonly release: string;
}

/** Shares of traces that were kept, 0 < rate <= 1: a record stands for one divided by both. */
export interface SampleRates {
  /** Of the client; 1 when it did not say. */
  readonly clientSampleRate: number;
  /** Of the project's own sampling; decoders say 1. */
  readonly serverSampleRate: number;
}

/** Where a record stands in a trace. */
export interface TracePlace {
  /** 32 lower-case hex digits, or null. */
  readonly traceId: string | null;
  /** 16 lower-case hex digits, or null. */
  readonly spanId: string | null;
}

/** Bytes that live in the object store; the row keeps the key. They are put there before the row is written. */
export interface Blob {
  /** Unique, and the same again when the same request is stored a second time. */
  readonly key: string;
  readonly bytes: Uint8Array;
}

/** One measured value, such as `lcp` in `millisecond`. */
export interface Measurement {
  readonly name: string;
  readonly value: number;
  /** `""` for pure numbers. */
  readonly unit: string;
}

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
  readonly durationMs: number;
  /** With placeholders where ids were, see `intake/tracing/transaction_name.ts`. */
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

/** A file that came with an event, or alone for one. */
export interface Attachment {
  readonly kind: "attachment";
  /** 32 lower-case hex digits, the same again for the same request. */
  readonly attachmentId: string;
  /** Of the event it belongs to, which may never come. */
  readonly eventId: string;
  readonly timestamp: Date;
  readonly receivedAt: Date;
  /** As sent, cleaned of control characters and cut to 200: for people, never a path. */
  readonly filename: string;
  /** As sent or guessed from the name; `application/octet-stream` when unknown. */
  readonly contentType: string;
  /** As `event.attachment`, `event.view_hierarchy`. */
  readonly attachmentType: string;
  readonly blob: Blob;
}

/** What a person wrote about the application, with or without an error. */
export interface Feedback extends Origin, TracePlace {
  readonly kind: "feedback";
  /** 32 lower-case hex digits. */
  readonly feedbackId: string;
  /** The error that it is about, or null. */
  readonly eventId: string | null;
  readonly message: string;
  readonly name: string;
  /** Any text: people mistype. */
  readonly email: string;
  /** Page that it was written on. */
  readonly url: string;
  /** As `widget`, `api`, `user_report`. */
  readonly source: string;
  readonly platform: string;
  readonly user: string | null;
  /** The normalised event as JSON text. */
  readonly payload: string;
}

export const SESSION_STATUSES = [
  "ok",
  "exited",
  "errored",
  "unhandled",
  "abnormal",
  "crashed",
] as const;
export type SessionStatus = (typeof SESSION_STATUSES)[number];

/** One update of one user session. The highest `seq` holds. `timestamp` is when the session started. */
export interface SessionUpdate extends Origin {
  readonly kind: "session";
  /** 32 lower-case hex digits. */
  readonly sessionId: string;
  /** Who: hashed together with the project, so that no mail address is kept; or null. */
  readonly userHash: string | null;
  /** Grows with every update of the session. */
  readonly seq: number;
  readonly status: SessionStatus;
  readonly errors: number;
  readonly durationSec: number | null;
}

/** Sessions of one minute that a server counted itself; each is in one of the counts. */
export interface SessionAggregate {
  readonly startedAt: Date;
  readonly userHash: string | null;
  readonly exited: number;
  readonly errored: number;
  readonly unhandled: number;
  readonly abnormal: number;
  readonly crashed: number;
}

/** What a server counted in one item. They have no id: only the request's receipt keeps them from counting twice. */
export interface SessionCounts extends Origin {
  readonly kind: "sessions";
  /** At least one. */
  readonly aggregates: readonly SessionAggregate[];
}

/** A cron job reports itself. */
export interface CheckIn extends Origin {
  readonly kind: "check_in";
  /** 32 lower-case hex digits; null: the newest open one of the monitor, else a new one. */
  readonly checkInId: string | null;
  readonly monitorSlug: string;
  readonly status: "in_progress" | "ok" | "error" | "unknown";
  readonly durationSec: number | null;
  readonly traceId: string | null;
  /** Schedule and margins as the client sent them, as JSON text; or null. */
  readonly monitorConfig: string | null;
}

export const LOG_LEVELS = ["trace", "debug", "info", "warn", "error", "fatal"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export interface LogRecord extends Origin, TracePlace {
  readonly kind: "log";
  /** 32 lower-case hex digits, the same again for the same request. */
  readonly logId: string;
  readonly level: LogLevel;
  /** At most 8,192 characters. */
  readonly body: string;
  /** Name of the logger, or `""`. */
  readonly logger: string;
  readonly server: string;
  readonly sdk: string;
  /** Free-form attributes as JSON text of one object of scalars and lists. */
  readonly attributes: string;
}

/** What a profile tells of, as its client says or its sample types do. */
export const PROFILE_KINDS = [
  "cpu",
  "wall",
  "memory",
  "goroutine",
  "threadcreate",
  "block",
  "mutex",
  "lock",
  "exception",
  "other",
] as const;
export type ProfileKind = (typeof PROFILE_KINDS)[number];

/** The sum of one sample type of a profile. */
export interface ProfileTotal {
  /** As `cpu` in `nanoseconds`. */
  readonly type: string;
  readonly unit: string;
  readonly total: bigint;
}

/** A trace that samples of a profile name. */
export interface ProfiledTrace {
  /** 32 lower-case hex digits. */
  readonly traceId: string;
  /** 16 lower-case hex digits, or null. */
  readonly spanId: string | null;
  /** Sums of those samples, in the order of the profile's totals. */
  readonly totals: readonly bigint[];
}

/**
 * A profile; the blob is a pprof, gzip-compressed. `timestamp` is its start. `traceId` and `spanId` are those that
 * the whole profile belongs to.
 */
export interface Profile extends Origin, TracePlace {
  readonly kind: "profile";
  /** 32 lower-case hex digits, the same again for the same profile. */
  readonly profileId: string;
  readonly source: "pprof" | "sentry_sample_v1" | "sentry_sample_v2" | "otlp";
  readonly profileKind: ProfileKind;
  /** Texts are `""` when the client named none. */
  readonly service: string;
  /** Process or host. */
  readonly instance: string;
  /** As `go`, `node`, `python`. */
  readonly platform: string;
  readonly durationMs: number;
  /** What is counted between two samples, as `cpu:nanoseconds`, or `""`; and how much of it. */
  readonly periodType: string;
  readonly period: bigint;
  readonly samples: number;
  /** At least one. */
  readonly totals: readonly ProfileTotal[];
  /** It covers a stretch of time, rather than telling how things stand or what was counted since a process began. */
  readonly isDelta: boolean;
  /** Values of labels of the upload and of its samples, but ids of traces; at most 64 keys of 100 values. */
  readonly labels: Readonly<Record<string, readonly string[]>>;
  readonly traces: readonly ProfiledTrace[];
  /** Name and event id of the transaction it belongs to, where the client says. */
  readonly transaction: string;
  readonly transactionId: string | null;
  /** Of a continuous profiler, or null. */
  readonly profilerId: string | null;
  readonly blob: Blob;
  /** The item as an SDK sent it, gzip-compressed, where it was no pprof. */
  readonly original: Blob | null;
}

/** One observation of a metric. */
export interface MetricPoint extends Origin, TracePlace {
  readonly kind: "metric";
  /** 32 lower-case hex digits, the same again for the same request. */
  readonly pointId: string;
  readonly name: string;
  readonly type: "counter" | "gauge" | "distribution";
  readonly unit: string;
  readonly value: number;
  /** Free-form attributes as JSON text of one object of scalars and lists. */
  readonly attributes: string;
}

/** The pipeline and the writer switch on `kind`. */
export type TelemetryRecord =
  | ErrorEvent
  | Transaction
  | SpanBatch
  | Attachment
  | Feedback
  | SessionUpdate
  | SessionCounts
  | CheckIn
  | LogRecord
  | Profile
  | MetricPoint;

/** Sentry's data categories, which its SDKs use in rate limits and client reports. */
export type Category =
  | "error"
  | "default"
  | "transaction"
  | "span"
  | "attachment"
  | "session"
  | "profile"
  | "profile_chunk"
  | "replay"
  | "monitor"
  | "feedback"
  | "log_item"
  | "trace_metric"
  | "metric_bucket"
  | "security"
  | "internal"
  | "unknown";

/**
 * What one record counts as, once, whatever becomes of it: an item is one, a container as many as it has
 * elements, a transaction is one and its spans count beside it.
 */
export function countOf(
  record: TelemetryRecord,
): { readonly category: Category; readonly quantity: number } {
  switch (record.kind) {
    case "error":
      return { category: record.type === "csp" ? "security" : "error", quantity: 1 };
    case "transaction":
      // The others are among the spans of a batch, which counts them.
      return { category: "transaction", quantity: record.sentAs === "transaction" ? 1 : 0 };
    case "spans":
      return { category: "span", quantity: record.spans.length };
    case "attachment":
      return { category: "attachment", quantity: 1 };
    case "feedback":
      return { category: "feedback", quantity: 1 };
    case "session":
    case "sessions":
      return { category: "session", quantity: 1 };
    case "check_in":
      return { category: "monitor", quantity: 1 };
    case "log":
      return { category: "log_item", quantity: 1 };
    case "profile":
      return {
        category: record.source === "sentry_sample_v2" ? "profile_chunk" : "profile",
        quantity: 1,
      };
    case "metric":
      return { category: "trace_metric", quantity: 1 };
  }
}

/** What became of what was sent. Nothing vanishes: every item ends in exactly one of these. */
export type OutcomeKind =
  | "accepted"
  | "duplicate"
  /** Taken, but Watchpost has no place for this kind of item; the reason names its type. */
  | "unsupported"
  | "sampled"
  | "filtered"
  | "invalid"
  | "too_large"
  | "rate_limited"
  | "over_quota"
  | "refused"
  /** Dropped by the client, as its client report says: never sent, so never among the others. */
  | "client_discard";

/** Outcomes of requests whose key is unknown are counted under this project id, which no project has. */
export const NO_PROJECT = "0";

export interface Outcome {
  /** One of ours, or whatever a client report says. */
  readonly category: Category | (string & Record<never, never>);
  readonly kind: OutcomeKind;
  /** Why, as a short machine word such as `no_exception_or_message`; `""` for accepted. */
  readonly reason: string;
  readonly quantity: number;
}

/** Names one request for ever: storing it twice, as a replay may, changes nothing. */
export interface Receipt {
  /** UUID, version 7. */
  readonly requestId: string;
  readonly receivedAt: Date;
}

/** What a protocol's decoder makes of one request. */
export interface Batch {
  readonly records: readonly TelemetryRecord[];
  /** Everything in the request that is not among `records`, with the reason. */
  readonly outcomes: readonly Outcome[];
  /** The id to answer with, or null when the request has none. */
  readonly eventId: string | null;
}
