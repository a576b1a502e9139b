import type { Origin, TracePlace } from "./origin.ts";

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
  /** `log`: nothing but what the job says. */
  readonly status: "in_progress" | "ok" | "error" | "unknown" | "log";
  readonly durationSec: number | null;
  readonly traceId: string | null;
  /** Schedule and margins as the client sent them, as JSON text; or null. */
  readonly monitorConfig: string | null;
  /** What the job said, its last 10 KB; or null. */
  readonly log: string | null;
}

export const LOG_LEVELS = ["trace", "debug", "info", "warn", "error", "fatal"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export interface LogRecord extends Origin, TracePlace {
  readonly kind: "log";
  /** 32 lower-case hex digits, the same again for the same request. */
  readonly logId: string;
  /** Beyond the whole millisecond of `timestamp`, as sent: 0 to 999,999. */
  readonly nanos: number;
  /** Which log of its request it is, from 0: what was written within one tick of the clock has this order. */
  readonly place: number;
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
