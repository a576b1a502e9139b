/** Profiles as they are asked for and read back. */
import type { ValueType } from "../../formats/pprof/profile.ts";
import type { Profile, ProfileKind, ProfileTotal } from "../../records/mod.ts";
import type { QueryScope } from "../../store/scope_filter.ts";

/** Which profiles, and which of their samples. Empty lists ask for all. */
export interface ProfileScope extends QueryScope {
  readonly projectId: string;
  readonly services: readonly string[];
  /** Name of a transaction. */
  readonly transaction?: string | undefined;
  /** Values of labels; of a key that is named twice any value will do. */
  readonly labels?: readonly (readonly [key: string, value: string])[] | undefined;
  /** 32 hex digits each. */
  readonly profileIds?: readonly string[] | undefined;
  /** Of a continuous profiler, 32 hex digits. */
  readonly profilerId?: string | undefined;
  /** Samples of this thread only. */
  readonly threadId?: string | undefined;
  /** 32 lower-case hex digits; samples of this trace only, but for profiles that belong to it as a whole. */
  readonly traceId?: string | undefined;
  /** 16 lower-case hex digits; samples of this span only. Profiles are found by the trace, which it wants beside it. */
  readonly spanId?: string | undefined;
  /**
   * Samples between `start` and `end` only, of all profiles that cover any of that time and are no longer than an hour.
   * Otherwise a profile belongs where it began, with all its samples.
   */
  readonly clip?: boolean | undefined;
}

/** Profiles of any kind, or of one, or those that have values of one type. */
export interface ProfileQuery extends ProfileScope {
  readonly kind?: ProfileKind | undefined;
  readonly type?: ValueType | undefined;
}

/** Values of one type, of profiles of one kind. */
export interface ProfileSelection extends ProfileScope {
  readonly kind: ProfileKind;
  /** Found by its name; units of time or of bytes may differ between profiles. */
  readonly type: ValueType;
  /** Samples of threads that served only, see `served_threads.ts`; has no meaning where samples are chosen otherwise. */
  readonly servedOnly?: boolean | undefined;
}

/** What the index tells of a profile. Ids are hex digits, texts `""` when nobody told. */
export interface ProfileRow {
  readonly profileId: string;
  /** When it began. */
  readonly timestamp: Date;
  readonly receivedAt: Date;
  readonly source: Profile["source"];
  readonly kind: ProfileKind;
  readonly service: string;
  readonly instance: string;
  readonly platform: string;
  readonly environment: string;
  readonly release: string;
  readonly transaction: string;
  readonly transactionId: string | null;
  readonly traceId: string | null;
  readonly spanId: string | null;
  readonly profilerId: string | null;
  readonly durationMs: number;
  /** In the unit of `periodType`; 0 when unknown. */
  readonly period: bigint;
  /** As `cpu:nanoseconds`. */
  readonly periodType: string;
  /** Stacks with their labels. */
  readonly samples: number;
  readonly totals: readonly ProfileTotal[];
  readonly isDelta: boolean;
  readonly labels: Readonly<Record<string, readonly string[]>>;
  readonly sizeBytes: number;
  readonly blobKey: string;
  /** `""` when it came as pprof. */
  readonly originalKey: string;
}
