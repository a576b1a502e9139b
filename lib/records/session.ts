import type { Origin } from "./origin.ts";

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
