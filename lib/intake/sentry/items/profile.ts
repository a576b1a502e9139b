import { gzipSync } from "node:zlib";
import type { Profile } from "../../../telemetry/records.ts";
import { blobKey } from "../../blob_key.ts";
import type { Item } from "../envelope.ts";
import { asObject, clippedName, type Raw, readInteger } from "../fields.ts";
import { readEventId, readTraceId } from "../ids.ts";
import {
  decoded,
  idIn,
  type ItemContext,
  type ItemDecoder,
  ItemError,
  jsonOf,
  refuseFiltered,
  timeOf,
} from "../item_decoder.ts";
import { TEXT } from "../limits.ts";
import { readTime } from "../timestamps.ts";

/** Sentry's sample format, version 1: one transaction. */
export const decodeProfile: ItemDecoder = (item, context) => {
  const raw = profileObject(item, context);
  const samples = checkedSamples(raw);
  const elapsed = samples.map((sample) => readInteger(sample.elapsed_since_start_ns) ?? 0);
  const transactions = Array.isArray(raw.transactions) ? raw.transactions : [];
  const transaction = asObject(raw.transaction) ?? asObject(transactions[0]) ?? {};
  return decoded({
    ...common(item, raw, context),
    profileId: readEventId(raw.event_id ?? raw.profile_id) ?? idIn(context, "profile"),
    format: "sentry_sample_v1",
    timestamp: timeOf(raw.timestamp, context),
    durationMs: spread(elapsed) / 1e6,
    samples: samples.length,
    transaction: clippedName(transaction.name, TEXT.name) ?? "",
    transactionId: readEventId(transaction.id) ?? null,
    traceId: readTraceId(transaction.trace_id) ?? null,
    profilerId: null,
  });
};

/** Version 2: a minute of a continuous profiler. */
export const decodeProfileChunk: ItemDecoder = (item, context) => {
  const raw = profileObject(item, context);
  const samples = checkedSamples(raw);
  const times = samples.flatMap(({ timestamp }) => readTime(timestamp) ?? []);
  return decoded({
    ...common(item, raw, context),
    profileId: readEventId(raw.chunk_id) ?? idIn(context, "profile"),
    format: "sentry_sample_v2",
    timestamp: timeOf(times.reduce((min, time) => Math.min(min, time), times[0] ?? NaN), context),
    durationMs: spread(times) * 1000,
    samples: samples.length,
    transaction: "",
    transactionId: null,
    traceId: null,
    profilerId: readEventId(raw.profiler_id) ?? null,
  });
};

function profileObject(item: Item, context: ItemContext): Raw {
  const raw = asObject(jsonOf(item));
  if (raw === undefined) throw new ItemError("invalid", "not_an_object");
  refuseFiltered(clippedName(raw.release, TEXT.name) ?? "", context);
  return raw;
}

function common(item: Item, raw: Raw, context: ItemContext) {
  const id = readEventId(raw.chunk_id ?? raw.event_id ?? raw.profile_id) ??
    idIn(context, "profile");
  return {
    kind: "profile",
    platform: clippedName(raw.platform, TEXT.word)?.toLowerCase() ?? "other",
    environment: clippedName(raw.environment, TEXT.word) ?? "",
    release: clippedName(raw.release, TEXT.name) ?? "",
    receivedAt: context.receivedAt,
    spanId: null,
    // The item as it was sent, so that nothing of it is lost.
    blob: {
      key: blobKey("profiles", context.projectId, context.receivedAt, id),
      bytes: gzipSync(item.payload, { level: 4 }),
    },
  } satisfies Partial<Profile>;
}

/**
 * The samples, once their indices are known to lead somewhere.
 *
 * @throws {ItemError} when one does not, or there is none
 */
function checkedSamples(raw: Raw): Raw[] {
  const profile = asObject(raw.profile);
  const { frames, stacks, samples } = profile ?? {};
  const invalid = () => new ItemError("invalid", "invalid_profile");
  if (!Array.isArray(frames) || !Array.isArray(stacks) || !Array.isArray(samples)) throw invalid();
  const isFrame = (index: unknown) =>
    typeof index === "number" && index >= 0 && index < frames.length;
  if (!stacks.every((stack) => Array.isArray(stack) && stack.every(isFrame))) throw invalid();
  const objects = samples.flatMap((sample: unknown): Raw[] => {
    const object = asObject(sample);
    return object === undefined ? [] : [object];
  });
  const isStack = ({ stack_id: index }: Raw) =>
    typeof index === "number" && index >= 0 && index < stacks.length;
  if (objects.length === 0 || objects.length < samples.length || !objects.every(isStack)) {
    throw invalid();
  }
  return objects;
}

function spread(values: readonly number[]): number {
  let [min, max] = [Infinity, -Infinity];
  for (const value of values) {
    min = Math.min(min, value);
    max = Math.max(max, value);
  }
  return max >= min ? max - min : 0;
}
