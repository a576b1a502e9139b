/** What most records know of where they came from. Texts are `""` when the client named none. */
export interface Origin {
  /** Corrected for client drift and clamped to the retention: a partition for it exists or can be made. */
  readonly timestamp: Date;
  readonly receivedAt: Date;
  readonly environment: string;
  readonly release: string;
}

/** Shares of traces that were kept, 0 < rate <= 1: a record stands for one divided by both. */
export interface SampleRates {
  /** Of the client; 1 when it did not say. */
  readonly clientSampleRate: number;
  /** Of the project's own sampling; decoders say 1. */
  readonly serverSampleRate: number;
}

/** Where a record stands in a trace. */
export interface TracePlace {
  /** 32 lower-case hex digits, or null. */
  readonly traceId: string | null;
  /** 16 lower-case hex digits, or null. */
  readonly spanId: string | null;
}

/** Bytes that live in the object store; the row keeps the key. They are put there before the row is written. */
export interface Blob {
  /** Unique, and the same again when the same request is stored a second time. */
  readonly key: string;
  readonly bytes: Uint8Array;
}

/** One measured value, such as `lcp` in `millisecond`. */
export interface Measurement {
  readonly name: string;
  readonly value: number;
  /** `""` for pure numbers. */
  readonly unit: string;
}
