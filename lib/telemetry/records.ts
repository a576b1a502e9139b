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

/** Later protocols add their kinds here; the pipeline and the writer switch on `kind`. */
export type TelemetryRecord = ErrorEvent;

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

/** What became of what was sent. Nothing vanishes: every item ends in exactly one of these. */
export type OutcomeKind =
  | "accepted"
  | "duplicate"
  | "not_stored"
  | "sampled"
  | "filtered"
  | "invalid"
  | "too_large"
  | "rate_limited"
  | "over_quota"
  | "refused";

/** Outcomes of requests whose key is unknown are counted under this project id, which no project has. */
export const NO_PROJECT = "0";

export interface Outcome {
  readonly category: Category;
  readonly kind: OutcomeKind;
  /** Why, as a short machine word such as `no_exception_or_message`; `""` for accepted. */
  readonly reason: string;
  readonly quantity: number;
}

/** What a protocol's decoder makes of one request. */
export interface Batch {
  readonly records: readonly TelemetryRecord[];
  /** Everything in the request that is not among `records`, with the reason. */
  readonly outcomes: readonly Outcome[];
  /** The id to answer with, or null when the request has none. */
  readonly eventId: string | null;
}
