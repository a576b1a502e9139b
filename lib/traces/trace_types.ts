/** A trace as it is read back: all that its services sent, whatever the protocol. */
import type { LinkedProfile } from "../profiles/mod.ts";
import type {
  Level,
  LogLevel,
  Measurement,
  SpanCategory,
  SpanEvent,
  SpanKind,
  SpanLink,
} from "../records/mod.ts";

/** A span without its attributes, which are many and read one span at a time. Times in milliseconds since 1970. */
export interface TraceSpan {
  readonly spanId: string;
  /** Its parent may be missing: not sent, not sent yet, or of a project that its reader does not see. */
  readonly parentSpanId: string | null;
  readonly start: number;
  /** Not before `start`. */
  readonly end: number;
  /** Both in nanoseconds since 1970, as decimal digits: as sent, which doubles are not. */
  readonly startNanos: string;
  readonly endNanos: string;
  /** What a row shows: the transaction's name, the statement, `GET https://…`, else the span's name. */
  readonly title: string;
  readonly op: string;
  readonly kind: SpanKind;
  readonly category: SpanCategory;
  /** As `ok`, `internal_error`; `""` when unset. */
  readonly status: string;
  readonly isFailed: boolean;
  /** A local root, listed under Transactions. */
  readonly isEntry: boolean;
  /** Service name, or the platform where none was named. */
  readonly service: string;
  readonly environment: string;
  readonly release: string;
}

/** All that is known of one span. */
export interface TraceSpanDetail extends TraceSpan {
  readonly attributes: Readonly<Record<string, unknown>>;
  /** Attributes of the process and the library that sent it; `{}` for Sentry's SDKs. */
  readonly resource: Readonly<Record<string, unknown>>;
  readonly measurements: readonly Measurement[];
  readonly events: readonly SpanEvent[];
  readonly links: readonly SpanLink[];
  readonly sdk: string;
  readonly origin: string;
}

export interface TraceError {
  readonly eventId: string;
  readonly issueId: string;
  readonly spanId: string | null;
  /** In milliseconds since 1970. */
  readonly time: number;
  readonly level: Level;
  readonly title: string;
  readonly culprit: string;
}

export interface TraceLog {
  readonly logId: string;
  readonly spanId: string | null;
  readonly time: number;
  readonly level: LogLevel;
  readonly body: string;
}

/** A part of a trace with the project that it was sent to. */
export type InProject<T> = T & { readonly projectId: string };

export interface Trace {
  /** 32 lower-case hex digits. */
  readonly traceId: string;
  /** By start, then by id; each id once. */
  readonly spans: readonly InProject<TraceSpan>[];
  readonly errors: readonly InProject<TraceError>[];
  readonly logs: readonly InProject<TraceLog>[];
  readonly profiles: readonly InProject<LinkedProfile>[];
  /** There is more of something than is read at once. */
  readonly isCut: boolean;
}

/** What of a trace its reader may not see. */
export interface HiddenParts {
  readonly projects: number;
  readonly spans: number;
}

/** A trace across the projects of an organization. */
export interface OrganizationTrace extends Trace {
  readonly hidden: HiddenParts;
}

// What a waterfall is drawn from, on the server and in the browser alike. Times in milliseconds since 1970.

/** The part of a span that rows need; the rest is read one span at a time. */
export type WaterfallSpan = InProject<Omit<TraceSpan, "environment" | "release">>;

/** What leads to the samples of a profile. */
export type WaterfallProfile = InProject<Omit<LinkedProfile, "types">>;

/** What rows and panels say of a project. */
export interface WaterfallProject {
  readonly id: string;
  readonly name: string;
}

export interface WaterfallData {
  /** 32 lower-case hex digits. */
  readonly traceId: string;
  readonly spans: readonly WaterfallSpan[];
  readonly errors: readonly InProject<Omit<TraceError, "culprit">>[];
  readonly logs: readonly Omit<TraceLog, "logId">[];
  readonly profiles: readonly WaterfallProfile[];
  /** Those that parts of the trace were sent to. */
  readonly projects: readonly WaterfallProject[];
  /** Spans of projects that the reader may not see. */
  readonly hiddenSpans: number;
  /** There is more of something than is read at once. */
  readonly isCut: boolean;
}

/** A stretch of time in milliseconds, counted from whatever its owner says. */
export interface Interval {
  readonly start: number;
  readonly end: number;
}
