import type { Origin, TracePlace } from "./origin.ts";

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
