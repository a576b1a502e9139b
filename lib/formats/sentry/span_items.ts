import type { Outcome, Span, SpanBatch, Transaction } from "../../records/mod.ts";
import { ownerIdOf } from "../../records/span_rules.ts";
import { eventTime, isBeforeRetention, nearestKept, readTime } from "../event_time.ts";
import { clippedName, numberIn, type Raw, readText, textIn } from "../fields.ts";
import { readEventId, readSpanId, readTraceId } from "../ids.ts";
import type { JsonObject } from "../json.ts";
import { TEXT } from "../limits.ts";
import { canonicalAttributes } from "../spans/canonical_attributes.ts";
import { type EntryFacts, entryFacts, transactionNameOf } from "../spans/entry_facts.ts";
import { entryTags } from "../spans/entry_keys.ts";
import {
  entryEventId,
  readSpanKind,
  serviceName,
  spanBatchId,
  spanTimes,
} from "../spans/span_fields.ts";
import {
  clockOf,
  type ElementFacts,
  type ItemContext,
  type ItemDecoder,
  readContainer,
  readElementFacts,
} from "./item_decoder.ts";
import { clientSampleRate, toSpan } from "./transaction_item.ts";

/** The container of spans v2: the whole of tracing in SDKs that stream spans. */
export const decodeSpanContainer: ItemDecoder = (item, context) => {
  const { elements, outcomes } = readContainer<SpanElement>(item, {
    category: "span",
    invalid: "invalid_span",
    read: (raw) => readSpanElement(raw, context),
  }, context);
  const unique = withoutRepeats(elements);
  const repeats: Outcome = {
    category: "span",
    kind: "duplicate",
    reason: "same_span_id",
    quantity: elements.length - unique.length,
  };
  // A row of spans for each trace, and a transaction for every segment.
  const traces = [...Map.groupBy(unique, ({ traceId }) => traceId)];
  const records = traces.flatMap(([traceId, parts]) => recordsOf(traceId, parts, context));
  return { records, outcomes: repeats.quantity > 0 ? [...outcomes, repeats] : outcomes };
};

/** Of spans with the same id, the one sent last. */
function withoutRepeats(elements: readonly SpanElement[]): readonly SpanElement[] {
  const byId = new Map(elements.map((each) => [`${each.traceId}/${each.span.spanId}`, each]));
  return byId.size === elements.length ? elements : [...byId.values()];
}

interface Segment {
  readonly element: SpanElement;
  readonly facts: EntryFacts;
}

function recordsOf(
  traceId: string,
  parts: readonly SpanElement[],
  context: ItemContext,
): (Transaction | SpanBatch)[] {
  const segments = parts.filter(({ span }) => span.isSegment)
    .map((element): Segment => ({ element, facts: factsOf(element) }));
  const batches = Map.groupBy(parts, (part) => ownerName(part, segments)).entries();
  return [
    ...segments.map((segment) => transactionOf(segment, context)),
    ...batches.map(([name, some]) => batchOf(traceId, name, some, segments, context)),
  ];
}

/**
 * The name of what a span belongs to. Its segment may have been sent long before: browsers tell of the largest paint
 * when the page is left, beside whatever the page has done since.
 */
function ownerName({ span, attributes }: SpanElement, segments: readonly Segment[]): string {
  const [first] = segments;
  const ownerId = span.isSegment ? span.spanId : ownerIdOf(span);
  const isHere = segments.some(({ element }) => element.span.spanId === ownerId);
  const named = isHere ? "" : namedTransaction(attributes);
  // Those of one request are one row, as far as they do not say that they belong elsewhere.
  return named || (first?.facts.name ?? "");
}

function factsOf({ span, attributes }: SpanElement): EntryFacts {
  const source = textIn(attributes, "sentry.segment.name.source", "sentry.source");
  return entryFacts({
    name: span.name,
    source: clippedName(source, TEXT.word) ?? "unknown",
    op: span.op,
    kind: span.kind,
    status: span.status,
    attributes,
  });
}

function batchOf(
  traceId: string,
  transaction: string,
  parts: readonly SpanElement[],
  segments: readonly Segment[],
  context: ItemContext,
): SpanBatch {
  const [first] = parts;
  const [segment] = segments;
  const attributes = first?.attributes ?? {};
  const sdk = sdkOf(attributes, context);
  const start = parts.reduce((min, { span }) => Math.min(min, span.start), Infinity);
  const spans = parts.map(({ span }) => span);
  return {
    kind: "spans",
    batchId: spanBatchId(traceId, spans),
    traceId,
    timestamp: new Date(start * 1000),
    receivedAt: context.receivedAt,
    environment: first?.environment ?? "",
    release: first?.release ?? "",
    transaction,
    service: serviceName(attributes),
    platform: platformOf(sdk),
    sdk,
    resource: {},
    clientSampleRate: sampleRateOf(segment?.element.attributes ?? {}, context),
    serverSampleRate: 1,
    spans,
  };
}

/** What a span that comes without its segment says of it: no more than the name it was given. */
function namedTransaction(attributes: JsonObject): string {
  const sent = textIn(attributes, "sentry.segment.name", "sentry.transaction");
  return transactionNameOf(clippedName(sent, TEXT.name) ?? "");
}

function sampleRateOf(attributes: JsonObject, { header }: ItemContext): number {
  return clientSampleRate(header.trace?.sample_rate, numberIn(attributes, "sentry.sample_rate"));
}

function transactionOf({ element, facts }: Segment, context: ItemContext): Transaction {
  const { traceId, span, attributes, ...scope } = element;
  const sdk = sdkOf(attributes, context);
  return {
    kind: "transaction",
    eventId: entryEventId(traceId, span.spanId),
    sentAs: "segment",
    traceId,
    spanId: span.spanId,
    parentSpanId: span.parentSpanId,
    timestamp: new Date(span.end * 1000),
    ...spanTimes(span),
    receivedAt: context.receivedAt,
    op: span.op,
    status: span.status,
    ...facts,
    service: serviceName(attributes),
    platform: platformOf(sdk),
    ...scope,
    dist: clippedName(textIn(attributes, "sentry.dist"), TEXT.word) ?? "",
    user: userOf(attributes),
    tags: entryTags(attributes),
    sdk,
    measurements: span.measurements,
    clientSampleRate: sampleRateOf(attributes, context),
    serverSampleRate: 1,
    profileId: readEventId(attributes["sentry.profile_id"]) ?? null,
    profilerId: readEventId(attributes["sentry.profiler_id"]) ?? null,
    // The span in the batch has all its attributes.
    payload: "",
  };
}

function userOf(attributes: JsonObject): string | null {
  const id = textIn(attributes, "user.id");
  const email = textIn(attributes, "user.email");
  return id !== "" ? `id:${id}` : email !== "" ? `email:${email}` : null;
}

function sdkOf(attributes: JsonObject, { header }: ItemContext): string {
  const name = textIn(attributes, "sentry.sdk.name") || readText(header.sdk?.name);
  const version = textIn(attributes, "sentry.sdk.version") || readText(header.sdk?.version);
  return [name, version].filter((part) => part).join("/").slice(0, TEXT.name);
}

/** SDKs are named after their platform: `sentry.javascript.node`. */
function platformOf(sdk: string): string {
  const [, family = "", flavour = ""] = sdk.split("/", 1)[0]?.split(".") ?? [];
  if (family === "javascript") return flavour === "node" || flavour === "bun" ? "node" : family;
  return family || "other";
}

/** An element of a container of spans, with what its attributes say beside the span itself. */
interface SpanElement extends ElementFacts {
  readonly traceId: string;
  readonly span: Span;
}

/**
 * Reads a span v2.
 *
 * @returns null when it is no use: without ids, with an end before its start, or begun before all that is kept; a text, which says why, when the
 * project does not want it
 */
function readSpanElement(raw: Raw, context: ItemContext): SpanElement | string | null {
  const traceId = readTraceId(raw.trace_id);
  const spanId = readSpanId(raw.span_id);
  const start = readTime(raw.start_timestamp);
  const sentEnd = readTime(raw.end_timestamp);
  if (traceId === undefined || spanId === undefined || start === undefined) return null;
  if (sentEnd === undefined || sentEnd < start) return null;
  const { shift, timestamp: end, isTooOld } = eventTime(sentEnd, clockOf(context));
  if (isTooOld || isBeforeRetention(start + shift, context)) return null;
  const facts = readElementFacts(raw, context);
  if (typeof facts === "string") return facts;
  const { attributes } = facts;
  canonicalAttributes(attributes);
  const times = { start: nearestKept(start + shift, context), end };
  return {
    traceId,
    ...facts,
    span: toSpan(raw, {
      spanId,
      segmentId: readSpanId(attributes["sentry.segment.id"]) ?? null,
      ...times,
      kind: readSpanKind(attributes["sentry.kind"]),
      op: clippedName(textIn(attributes, "sentry.op"), 128) ?? "",
      description: "",
      status: clippedName(raw.status, TEXT.word) ?? "",
      origin: clippedName(textIn(attributes, "sentry.origin"), TEXT.word) ?? "",
      attributes,
      measurements: [],
    }, context.policy),
  };
}
