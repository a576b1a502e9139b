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
  /** What the event is found by beside its tags, see `event_facts.ts`; values at most 200 characters. */
  readonly facts: readonly (readonly [key: string, value: string])[];
  /** `name/version` of the SDK, or `""`. */
  readonly sdk: string;
  readonly grouping: Grouping;
  /** The normalised event as JSON text: well-formed Unicode without NUL. */
  readonly payload: string;
}
