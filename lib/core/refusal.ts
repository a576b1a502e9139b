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

/** How a refused request is counted: one more of `kind`, because of `reason`. */
export interface RefusedAs {
  readonly kind: OutcomeKind;
  /** A short machine word such as `unknown_key`. */
  readonly reason: string;
  /** How many items are lost. @default 1 */
  readonly quantity?: number;
  /** What it counts as, where the stage that refuses knows better than the protocol. */
  readonly category?: Outcome["category"];
  /** The project to count it for, where only the stage that refuses knows it. */
  readonly projectId?: string;
  /** The key it came with, where only the stage that refuses knows it. */
  readonly keyId?: string;
}

/**
 * What a client did that the intake does not take: the status it gets, and a sentence that its sender
 * can act on. The message never repeats keys or payload.
 */
export class Refusal extends Error {
  override name = "Refusal";

  constructor(
    readonly status: number,
    /** Sentence for the client. Latin letters only: it travels in a header as well. */
    readonly detail: string,
    readonly outcome: RefusedAs,
    /** Headers of the answer beside those of the protocol. */
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(detail);
  }
}

/** Long enough for a store to restart; SDKs keep quiet for as long as this says. */
const RETRY_AFTER_SEC = 10;

/** Where somebody has to do something. */
const ATTENDED_RETRY_AFTER_SEC = 60;

/** The answer while one of our own stores is away. */
export function unavailable(): Refusal {
  return new Refusal(503, "Watchpost cannot store this now", {
    kind: "refused",
    reason: "store_unavailable",
  }, { "retry-after": String(RETRY_AFTER_SEC) });
}

/** The answer while the disk of our own stores has no room: somebody has to make some. */
export function diskFull(): Refusal {
  return new Refusal(503, "Watchpost has no room on its disk", {
    kind: "refused",
    reason: "disk_full",
  }, { "retry-after": String(ATTENDED_RETRY_AFTER_SEC) });
}

/** The answer while our own clock is years behind: somebody has to set it. */
export function wrongClock(): Refusal {
  return new Refusal(503, "The clock of Watchpost is wrong", {
    kind: "refused",
    reason: "wrong_clock",
  }, { "retry-after": String(ATTENDED_RETRY_AFTER_SEC) });
}
