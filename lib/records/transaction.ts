import type { Measurement } from "./measurement.ts";
import type { Origin, SampleRates } from "./origin.ts";

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
