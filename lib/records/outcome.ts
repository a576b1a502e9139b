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
