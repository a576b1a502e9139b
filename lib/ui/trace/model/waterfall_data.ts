/** What a waterfall is drawn from, on the server and in the browser alike. Times in milliseconds since 1970. */
import type {
  LinkedProfile,
  TraceError,
  TraceLog,
  TraceSpan,
} from "../../../telemetry/trace_types.ts";

/** The part of a span that rows need; the rest is read one span at a time. */
export type WaterfallSpan = Omit<TraceSpan, "environment" | "release">;

/** What leads to the samples of a profile. */
export type WaterfallProfile = Omit<LinkedProfile, "types">;

export interface WaterfallData {
  /** 32 lower-case hex digits. */
  readonly traceId: string;
  readonly spans: readonly WaterfallSpan[];
  readonly errors: readonly Omit<TraceError, "culprit">[];
  readonly logs: readonly Omit<TraceLog, "logId">[];
  readonly profiles: readonly WaterfallProfile[];
  /** There is more of something than is read at once. */
  readonly isCut: boolean;
}

/** A stretch of time in milliseconds, counted from whatever its owner says. */
export interface Interval {
  readonly start: number;
  readonly end: number;
}
