/** When samples were taken, as either version of the format tells. */
import { asObject, type Raw, readInteger } from "../fields.ts";
import { ItemError } from "./item_decoder.ts";
import { readTime } from "../timestamps.ts";
import { LIMITS } from "./limits.ts";
import { readPlace, type SampleProfile, type SdkSample } from "./sample_profile.ts";

/** Numbers from here on are times; smaller ones are distances. */
const MIN_TIME_MS = 1e11;

/**
 * Samples of version 1, in the order of time: nanoseconds since the profile began. Where the transaction says which part
 * of it is its own, as older SDKs do, the rest is left out.
 *
 * @throws {ItemError} when a sample has no time or stack, or the profile is longer than any SDK makes it
 */
export function elapsedSamples(profile: SampleProfile, transaction: Raw): SdkSample[] {
  const start = readInteger(transaction.relative_start_ns) ?? 0;
  const end = readInteger(transaction.relative_end_ns) ?? 0;
  const samples = profile.samples.map((raw) => ({
    ...readPlace(raw, profile),
    offset: readInteger(raw.elapsed_since_start_ns) ?? throwBadTime(),
  }));
  const own = end === 0
    ? samples
    : samples.filter(({ offset }) => offset >= start && offset <= end);
  if (own.some(({ offset }) => offset > LIMITS.transactionNanos)) {
    throw new ItemError("invalid", "longer_than_30_seconds");
  }
  return inOrder(own);
}

/** Samples of version 2, and when the first of them was taken. */
export interface ChunkSamples {
  readonly samples: SdkSample[];
  /** In seconds since 1970, by the client's clock. */
  readonly start: number;
}

/**
 * Samples of version 2, in the order of time: each has its own in seconds; in the format's first days it was in
 * milliseconds, from the chunk's beginning or from 1970.
 *
 * @throws {ItemError} when a sample has no time or stack, there is none, or the chunk is longer than any SDK makes it
 */
export function timedSamples(profile: SampleProfile, chunk: Raw): ChunkSamples {
  const began = readTime(chunk.timestamp) ?? 0;
  const times = profile.samples.map((raw) => timeOf(raw, began) ?? throwBadTime());
  const start = times.reduce((min, time) => Math.min(min, time), Infinity);
  const samples = profile.samples.map((raw, index) => ({
    ...readPlace(raw, profile),
    offset: Math.round(((times[index] ?? start) - start) * 1e9),
  }));
  if (samples.some(({ offset }) => offset > LIMITS.chunkNanos)) {
    throw new ItemError("invalid", "longer_than_66_seconds");
  }
  return { samples: inOrder(samples), start: Number.isFinite(start) ? start : 0 };
}

function timeOf(sample: Raw, began: number): number | undefined {
  const time = readTime(sample.timestamp);
  if (time !== undefined) return time;
  const ms = Number(sample.timestamp_ms ?? NaN);
  if (!(ms >= 0)) return undefined;
  return ms >= MIN_TIME_MS ? ms / 1000 : began + ms / 1000;
}

function throwBadTime(): never {
  throw new ItemError("invalid", "sample_without_time");
}

function inOrder(samples: SdkSample[]): SdkSample[] {
  return samples.sort((a, b) => a.offset - b.offset);
}

/** The transaction that a profile of version 1 belongs to; Python sends a list of one. */
export function transactionIn(raw: Raw): Raw {
  const [first] = Array.isArray(raw.transactions) ? raw.transactions : [];
  return asObject(raw.transaction) ?? asObject(first) ?? {};
}
