import type { Profile } from "../../records/mod.ts";
import { eventTime, readTime } from "../event_time.ts";
import { asObject, clippedName, type Raw, readInteger, readNumber, readText } from "../fields.ts";
import { readEventId, readSpanId, readTraceId } from "../ids.ts";
import type { JsonObject } from "../json.ts";
import { TEXT } from "../limits.ts";
import { gzipProfile } from "../pprof/compression.ts";
import { type DecodedPprof, decodePprof } from "../pprof/decode.ts";
import { PprofError } from "../pprof/faults.ts";
import { profileRecord } from "../pprof/profile_record.ts";
import { transactionNameOf } from "../spans/entry_facts.ts";
import { serviceName } from "../spans/span_fields.ts";
import type { Item } from "./envelope.ts";
import {
  clockOf,
  decoded,
  idIn,
  type ItemContext,
  type ItemDecoder,
  ItemError,
  objectOf,
  refuseFiltered,
} from "./item_decoder.ts";
import {
  LIMITS,
  readPlace,
  readSampleProfile,
  type SampleProfile,
  type SdkSample,
  toPprof,
  weigh,
  type WeighedSample,
  withoutIdleEnds,
  withoutSingles,
} from "./profile_samples.ts";

/** Sentry's sample format, version 1: one transaction. */
export const decodeProfile: ItemDecoder = (item, context) => {
  const raw = profileObject(item, context);
  const profile = readSampleProfile(raw);
  const transaction = transactionIn(raw);
  const busy = withoutIdleEnds(elapsedSamples(profile, transaction), profile);
  const samples = weigh(withoutSingles(busy), profile);
  if (samples.length === 0) throw new ItemError("invalid", "fewer_than_two_samples");
  const { trace } = asObject(raw.contexts) ?? {};
  return decoded(sdkProfile(item, { raw, profile, samples }, {
    profileId: readEventId(raw.event_id ?? raw.profile_id) ?? idIn(context, "profile"),
    source: "sentry_sample_v1",
    start: eventTime(raw.timestamp, clockOf(context)).timestamp,
    activeThread: readText(transaction.active_thread_id) ?? "",
    transaction: transactionNameOf(clippedName(transaction.name, TEXT.name) ?? ""),
    transactionId: readEventId(transaction.id) ?? null,
    traceId: readTraceId(transaction.trace_id) ?? null,
    spanId: readSpanId(transaction.segment_id ?? asObject(trace)?.span_id) ?? null,
    profilerId: null,
  }, context));
};

/** Version 2: a minute of a continuous profiler. */
export const decodeProfileChunk: ItemDecoder = (item, context) => {
  const raw = profileObject(item, context);
  const profile = readSampleProfile(raw);
  const sent = timedSamples(profile, raw);
  const samples = weigh(withoutIdleEnds(sent.samples, profile), profile);
  if (samples.length === 0) throw new ItemError("invalid", "no_busy_samples");
  return decoded(sdkProfile(item, { raw, profile, samples }, {
    profileId: readEventId(raw.chunk_id) ?? idIn(context, "profile"),
    source: "sentry_sample_v2",
    start: eventTime(sent.start, clockOf(context)).timestamp,
    activeThread: "",
    transaction: "",
    transactionId: null,
    traceId: null,
    spanId: null,
    profilerId: readEventId(raw.profiler_id) ?? null,
  }, context));
};

function profileObject(item: Item, context: ItemContext): Raw {
  if (item.payload.length > LIMITS.bytes) throw new ItemError("too_large", "profile_size");
  const raw = objectOf(item);
  refuseFiltered(releaseOf(raw), context);
  return raw;
}

/** What an SDK sent: the whole payload, and what is read of it. */
interface SdkPayload {
  readonly raw: Raw;
  readonly profile: SampleProfile;
  /** At least one, in the order of time. */
  readonly samples: readonly WeighedSample[];
}

type Tie = Pick<
  Profile,
  | "profileId"
  | "source"
  | "transaction"
  | "transactionId"
  | "traceId"
  | "spanId"
  | "profilerId"
>;

/** What the two versions tell in different places. */
interface SdkFacts extends Tie {
  /** Seconds since 1970, by the server's clock. */
  readonly start: number;
  /** The thread that ran the transaction, or `""`. */
  readonly activeThread: string;
}

/**
 * Makes the record of a profile: pprof to be shown, and the item as it was sent, so that nothing of it is lost.
 *
 * @throws {ItemError} too_large when it has more parts than a profile may have
 */
function sdkProfile(
  item: Item,
  { raw, profile, samples }: SdkPayload,
  { start, activeThread, ...tie }: SdkFacts,
  { projectId, receivedAt, retentionDays, policy }: ItemContext,
): Profile {
  const platform = clippedName(raw.platform, TEXT.word)?.toLowerCase() ?? "other";
  // A double holds the microseconds of this century.
  const timeNanos = BigInt(Math.round(start * 1e6)) * 1000n;
  const message = toPprof(profile, samples, { timeNanos, platform, activeThread });
  return profileRecord(reread(message).profile, {
    ...tie,
    projectId,
    receivedAt,
    retentionDays,
    policy,
    bytes: gzipProfile(message),
    original: gzipProfile(item.payload),
    service: serviceOf(raw),
    instance: clippedName(raw.server_name, TEXT.path) ?? "",
    platform,
    environment: clippedName(raw.environment, TEXT.word) ?? "",
    release: releaseOf(raw),
    kindHint: "wall",
    // Nanoseconds since 1970 are too many for a double: the millisecond may be the one before.
    from: new Date(Math.round(start * 1000)),
    isDelta: true,
  });
}

function releaseOf(raw: Raw): string {
  return clippedName(raw.release, TEXT.name) ?? "";
}

/** As that of transactions: by the attributes of the trace, else by a tag. */
function serviceOf({ contexts, tags }: Raw): string {
  const trace = asObject(asObject(contexts)?.trace);
  const data = asObject(trace?.data) as JsonObject | undefined;
  return serviceName(data ?? {}, readText(asObject(tags)?.service));
}

/** The index is made of what is stored. */
function reread(message: Uint8Array): DecodedPprof {
  try {
    return decodePprof(message);
  } catch (error) {
    if (!(error instanceof PprofError)) throw error;
    throw new ItemError(error.kind, error.kind === "too_large" ? "profile_size" : "broken_profile");
  }
}

/** Numbers from here on are times; smaller ones are distances. */
const MIN_TIME_MS = 1e11;

/**
 * Samples of version 1, in the order of time: nanoseconds since the profile began. Where the transaction says which part
 * of it is its own, as older SDKs do, the rest is left out.
 *
 * @throws {ItemError} when a sample has no time or stack, or the profile is longer than any SDK makes it
 */
function elapsedSamples(profile: SampleProfile, transaction: Raw): SdkSample[] {
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
interface ChunkSamples {
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
function timedSamples(profile: SampleProfile, chunk: Raw): ChunkSamples {
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
  const ms = readNumber(sample.timestamp_ms);
  if (ms === undefined || ms < 0) return undefined;
  return ms >= MIN_TIME_MS ? ms / 1000 : began + ms / 1000;
}

function throwBadTime(): never {
  throw new ItemError("invalid", "sample_without_time");
}

function inOrder(samples: SdkSample[]): SdkSample[] {
  return samples.sort((a, b) => a.offset - b.offset);
}

/** The transaction that a profile of version 1 belongs to; Python sends a list of one. */
function transactionIn(raw: Raw): Raw {
  const [first] = Array.isArray(raw.transactions) ? raw.transactions : [];
  return asObject(raw.transaction) ?? asObject(first) ?? {};
}
