/** What a waterfall is drawn from, on the server and in the browser alike. Times in milliseconds since 1970. */
import type {
  InProject,
  LinkedProfile,
  TraceError,
  TraceLog,
  TraceSpan,
} from "./trace_types.ts";

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
