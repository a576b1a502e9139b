import type { Blob, Origin, TracePlace } from "./origin.ts";

/** What a profile tells of, as its client says or its sample types do. */
export const PROFILE_KINDS = [
  "cpu",
  "wall",
  "memory",
  "goroutine",
  "threadcreate",
  "block",
  "mutex",
  "lock",
  "exception",
  "other",
] as const;
export type ProfileKind = (typeof PROFILE_KINDS)[number];

/** The sum of one sample type of a profile. */
export interface ProfileTotal {
  /** As `cpu` in `nanoseconds`. */
  readonly type: string;
  readonly unit: string;
  readonly total: bigint;
}

/** A trace that samples of a profile name. */
export interface ProfiledTrace {
  /** 32 lower-case hex digits. */
  readonly traceId: string;
  /** 16 lower-case hex digits, or null. */
  readonly spanId: string | null;
  /** Sums of those samples, in the order of the profile's totals. */
  readonly totals: readonly bigint[];
}

/**
 * A profile; the blob is a pprof, gzip-compressed. `timestamp` is its start. `traceId` and `spanId` are those that
 * the whole profile belongs to.
 */
export interface Profile extends Origin, TracePlace {
  readonly kind: "profile";
  /** 32 lower-case hex digits, the same again for the same profile. */
  readonly profileId: string;
  readonly source: "pprof" | "sentry_sample_v1" | "sentry_sample_v2" | "otlp";
  readonly profileKind: ProfileKind;
  /** Texts are `""` when the client named none. */
  readonly service: string;
  /** Process or host. */
  readonly instance: string;
  /** As `go`, `node`, `python`. */
  readonly platform: string;
  readonly durationMs: number;
  /** What is counted between two samples, as `cpu:nanoseconds`, or `""`; and how much of it. */
  readonly periodType: string;
  readonly period: bigint;
  readonly samples: number;
  /** At least one. */
  readonly totals: readonly ProfileTotal[];
  /** It covers a stretch of time, rather than telling how things stand or what was counted since a process began. */
  readonly isDelta: boolean;
  /** Values of labels of the upload and of its samples, but ids of traces; at most 64 keys of 100 values. */
  readonly labels: Readonly<Record<string, readonly string[]>>;
  readonly traces: readonly ProfiledTrace[];
  /** Name and event id of the transaction it belongs to, where the client says. */
  readonly transaction: string;
  readonly transactionId: string | null;
  /** Of a continuous profiler, or null. */
  readonly profilerId: string | null;
  readonly blob: Blob;
  /** The item as an SDK sent it, gzip-compressed, where it was no pprof. */
  readonly original: Blob | null;
}
