import type { Item } from "./envelope.ts";
import { asObject, clippedName, type Raw, readText } from "../fields.ts";
import { readEventId, readSpanId, readTraceId } from "../ids.ts";
import {
  clockOf,
  decoded,
  idIn,
  type ItemContext,
  type ItemDecoder,
  ItemError,
  jsonOf,
} from "./item_decoder.ts";
import { TEXT } from "../limits.ts";
import { eventTime } from "../clock.ts";
import { transactionNameOf } from "../spans/page_name.ts";
import { LIMITS } from "./limits.ts";
import { readSampleProfile } from "./sample_profile.ts";
import { elapsedSamples, timedSamples, transactionIn } from "./sample_times.ts";
import { refuseUnwanted, sdkProfile } from "./sdk_profile.ts";
import { weigh, withoutIdleEnds, withoutSingles } from "./weigh.ts";

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
  const raw = asObject(jsonOf(item));
  if (raw === undefined) throw new ItemError("invalid", "not_an_object");
  refuseUnwanted(raw, context);
  return raw;
}
