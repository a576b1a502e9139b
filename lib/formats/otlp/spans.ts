import type { DecodeContext } from "../decode_context.ts";
import { type Span, SPAN_KINDS, type SpanKind } from "../../records/mod.ts";
import { nearestKept } from "../event_time.ts";
import { clip, clippedName, numberIn, textIn } from "../fields.ts";
import type { JsonObject } from "../json.ts";
import { TEXT } from "../limits.ts";
import type { OutcomeTally } from "../outcome_tally.ts";
import { canonicalAttributes } from "../spans/canonical_attributes.ts";
import { spanFacts } from "../spans/span_facts.ts";
import { otelStatus } from "../spans/status.ts";
import {
  checkSpan,
  isEntrySpan,
  isSpanId,
  isTraceId,
  type OtlpSpan,
  type ResourceGroup,
  type Scope,
} from "./model.ts";
import { type OtlpSender, senderOf } from "./resource_attributes.ts";
import { type SentException, spanExceptions } from "./exceptions.ts";

/** A process, as a request tells of it. */
interface Source {
  readonly sender: OtlpSender;
  /** Its attributes, as sent. */
  readonly resource: JsonObject;
}

/** A span with the library that made it. */
interface ScopedSpan {
  readonly span: OtlpSpan;
  readonly scope: Scope<unknown>;
}

/** What one process tells of one trace. */
export interface TracePart {
  readonly source: Source;
  readonly traceId: string;
  /** At least one. */
  readonly spans: readonly ScopedSpan[];
}

interface Placed extends ScopedSpan {
  readonly source: Source;
}

interface Kept {
  readonly spans: Map<string, Placed>;
  /** What those of them say whose id came again: written once for each, however many have the id of a long one. */
  readonly texts: Map<string, string>;
}

/**
 * Sorts the spans of a request by process and trace. What cannot or shall not be stored is counted and left out; of two
 * spans with one id the one that ends later is kept, the other rejected unless it says the same.
 */
export function tracePartsOf(
  groups: readonly ResourceGroup<OtlpSpan>[],
  context: DecodeContext,
  tally: OutcomeTally,
): TracePart[] {
  const kept: Kept = { spans: new Map(), texts: new Map() };
  for (const { group, source } of withSources(groups)) {
    const unwanted = context.policy.filterOther(source.sender.release, context);
    for (const scope of group.scopes) {
      if (unwanted !== null) tally.add("span", "filtered", unwanted, scope.items.length);
      else for (const span of scope.items) keep({ span, scope, source }, kept, context, tally);
    }
  }
  return groupByPart(kept.spans.values());
}

function withSources(groups: readonly ResourceGroup<OtlpSpan>[]) {
  // Collectors repeat a resource for each span.
  const sources = new Map<string, Source>();
  return groups.map((group) => {
    const key = JSON.stringify(group.attributes);
    const source = sources.get(key) ??
      { sender: senderOf(group.attributes), resource: group.attributes };
    sources.set(key, source);
    return { group, source };
  });
}

function keep(
  placed: Placed,
  { spans, texts }: Kept,
  context: DecodeContext,
  tally: OutcomeTally,
): void {
  const { span } = placed;
  const fault = checkSpan(span, context);
  if (fault !== null) {
    tally.add("span", "invalid", fault);
    return;
  }
  const key = `${span.traceId}/${span.spanId}`;
  const other = spans.get(key);
  if (other === undefined) {
    spans.set(key, placed);
    return;
  }
  // Equal resources are one source; they may be long, and are written for none.
  const text = JSON.stringify(span);
  const otherText = texts.get(key) ?? JSON.stringify(other.span);
  if (text === otherText && placed.source === other.source) {
    tally.add("span", "duplicate", "same_span");
  } else tally.add("span", "invalid", "same_id");
  const isLater = other.span.end < span.end;
  if (isLater) spans.set(key, placed);
  texts.set(key, isLater ? text : otherText);
}

function groupByPart(spans: Iterable<Placed>): TracePart[] {
  const bySource = Map.groupBy(spans, ({ source }) => source);
  return [...bySource].flatMap(([source, placed]) =>
    [...Map.groupBy(placed, ({ span }) => span.traceId)].map(([traceId, spans]) => ({
      source,
      traceId,
      spans,
    }))
  );
}

/** A span as it is stored, with what only its sender's form tells. */
interface StoredSpan {
  readonly span: Span;
  /** As sent: errors are told apart by them. */
  readonly exceptions: readonly SentException[];
  /** 0 < rate <= 1. */
  readonly sampleRate: number;
}

/** What one process tells of one trace, as it is stored. */
export interface StoredPart {
  /** Attributes of the resource, and of the library where all spans come from one. */
  readonly resource: JsonObject;
  readonly spans: readonly StoredSpan[];
}

/** Makes the spans that are stored, in the order sent; attributes change in place. */
export function storeSpans({ source, spans: sent }: TracePart, context: DecodeContext): StoredPart {
  const { resource, scopeOf } = placesOfScopes(sent, source.resource);
  context.policy.scrubObject(resource);
  const segments = segmentIdsOf(sent.map(({ span }) => span));
  const shift = shiftOf(sent, context);
  const spans = sent.map(({ span: sentSpan, scope }) => {
    const exceptions = spanExceptions(sentSpan);
    const segmentId = segments.get(sentSpan.spanId) ?? null;
    const span = toSpan(sentSpan, { segmentId, shift, extra: scopeOf(scope) }, context);
    const sampleRate = sampleRateOf(sentSpan.traceState, sentSpan.attributes);
    return { span, exceptions, sampleRate };
  });
  return { resource, spans };
}

/** Names of libraries go with the resource when there is one library, else with each span. */
function placesOfScopes(spans: readonly ScopedSpan[], sent: JsonObject) {
  const names = new Set(spans.map(({ scope }) => `${scope.name} ${scope.version}`));
  const [first] = spans;
  const isOne = names.size === 1 && first !== undefined;
  const resource: JsonObject = { ...sent, ...(isOne && scopeAttributes(first.scope)) };
  return {
    resource,
    scopeOf: (scope: Scope<unknown>): JsonObject => isOne ? {} : scopeAttributes(scope),
  };
}

function scopeAttributes({ name, version }: Scope<unknown>): JsonObject {
  return {
    ...(name !== "" && { "otel.scope.name": name }),
    ...(version !== "" && { "otel.scope.version": version }),
  };
}

/** A clock that is ahead moves all of it back alike, so that durations and order stay. In seconds. */
function shiftOf(spans: readonly ScopedSpan[], context: DecodeContext): number {
  const last = spans.reduce((max, { span }) => Math.max(max, span.end), -Infinity);
  return nearestKept(last, context) - last;
}

/** What a span's surroundings say of it. */
interface SpanPlace {
  /** The entry span above it, or null. */
  readonly segmentId: string | null;
  /** Seconds to add to all its times. */
  readonly shift: number;
  /** Attributes that it has beside its own. */
  readonly extra: JsonObject;
}

/**
 * Makes the span that is stored. Its attributes get their current names and lose their secrets in place.
 *
 * @param sent one that {@linkcode checkSpan} lets pass
 */
function toSpan(
  sent: OtlpSpan,
  { segmentId, shift, extra }: SpanPlace,
  context: DecodeContext,
): Span {
  const { policy } = context;
  const attributes: JsonObject = Object.assign(sent.attributes, remarksOn(sent), extra);
  canonicalAttributes(attributes);
  policy.scrubObject(attributes);
  const kind = kindOf(sent.kind);
  const isSegment = isEntrySpan(sent);
  const name = policy.scrubText(sent.name);
  const op = clippedName(textIn(attributes, "sentry.op"), TEXT.word) ?? "";
  const facts = spanFacts({ kind, name, op, description: "", attributes, isEntry: isSegment });
  const start = nearestKept(sent.start + shift, context);
  const end = nearestKept(sent.end + shift, context);
  const { startFine, endFine } = sent;
  // What was moved is not as sent any more.
  const isFine = startFine + endFine > 0 && start === sent.start && end === sent.end;
  return {
    spanId: sent.spanId,
    parentSpanId: sent.parentSpanId === "" ? null : sent.parentSpanId,
    segmentId,
    isSegment,
    start,
    end,
    ...(isFine && { fine: [startFine, endFine] as const }),
    name,
    kind,
    op: facts.op,
    description: clip(policy.scrubText(facts.description), TEXT.url),
    category: facts.category,
    group: facts.group,
    status: otelStatus(sent.statusCode, kind, attributes),
    origin: "",
    data: attributes,
    measurements: [],
    events: eventsOf(sent, shift, context),
    links: linksOf(sent, context),
  };
}

/** An unspecified kind is `internal`, and so is one that this version does not know. */
function kindOf(kind: number): SpanKind {
  return SPAN_KINDS[kind] || "internal";
}

/** What has no place of its own, under the names that OpenTelemetry gives it in other formats. */
function remarksOn(sent: OtlpSpan): JsonObject {
  const { statusMessage, traceState, droppedAttributes, droppedEvents, droppedLinks } = sent;
  return {
    ...(statusMessage !== "" && { "otel.status_description": statusMessage }),
    ...(traceState !== "" && { "w3c.tracestate": traceState }),
    ...(droppedAttributes > 0 && { "otel.dropped_attributes_count": droppedAttributes }),
    ...(droppedEvents > 0 && { "otel.dropped_events_count": droppedEvents }),
    ...(droppedLinks > 0 && { "otel.dropped_links_count": droppedLinks }),
  };
}

function eventsOf({ events, end }: OtlpSpan, shift: number, context: DecodeContext) {
  return events.map(({ time: sent, fine, name, attributes }) => {
    context.policy.scrubObject(attributes);
    const time = nearestKept((sent || end) + shift, context);
    return {
      time,
      ...(fine > 0 && time === sent && { fine }),
      name: context.policy.scrubText(name),
      attributes,
    };
  });
}

/** A link to nothing says nothing. */
function linksOf({ links }: OtlpSpan, { policy }: DecodeContext) {
  const whole = links.filter(({ traceId, spanId }) => isTraceId(traceId) && isSpanId(spanId));
  return whole.map(({ traceId, spanId, attributes }) => {
    policy.scrubObject(attributes);
    return { traceId, spanId, attributes };
  });
}

/**
 * Finds for each span the nearest entry span above it, itself included, as far as parents are among `spans`.
 *
 * @param spans of one trace, their ids different
 * @returns ids of entry spans by ids of spans; null where the way up leads out of the request
 */
function segmentIdsOf(spans: readonly OtlpSpan[]): ReadonlyMap<string, string | null> {
  const byId = new Map<string, OtlpSpan>();
  for (const span of spans) byId.set(span.spanId, span);
  const segments = new Map<string, string | null>();
  for (const span of spans) {
    const segment = segmentAbove(span, byId, segments);
    // All on the way up have the same, which is known from now on.
    let below: OtlpSpan | undefined = span;
    while (below !== undefined && !segments.has(below.spanId)) {
      segments.set(below.spanId, segment);
      below = below.spanId === segment ? undefined : byId.get(below.parentSpanId);
    }
  }
  return segments;
}

function segmentAbove(
  span: OtlpSpan,
  byId: ReadonlyMap<string, OtlpSpan>,
  segments: ReadonlyMap<string, string | null>,
): string | null {
  let current: OtlpSpan | undefined = span;
  // A circle of parents ends after as many steps as there are spans.
  for (let left = byId.size; current !== undefined && left >= 0; left--) {
    const known = segments.get(current.spanId);
    if (known !== undefined) return known;
    if (isEntrySpan(current)) return current.spanId;
    current = byId.get(current.parentSpanId);
  }
  return null;
}

/** OpenTelemetry's member of a `tracestate`: `other=1,ot=th:8;rv:…`. */
const MEMBER = /(?:^|,)\s{0,9}ot=([^,]{1,256})/;
/** The threshold below which traces are dropped, as the leading hex digits of 56 bits. */
const THRESHOLD = /(?:^|;)th:([\da-f]{1,14})(?:;|$)/;
/** The older form: a power of two. 63 stands for never. */
const POWER = /(?:^|;)p:(\d{1,2})(?:;|$)/;
const NEVER = 63;

/**
 * The share of traces that a client kept, as a span says: 0 < rate <= 1; 1 when it says nothing.
 *
 * @param traceState the span's `tracestate`
 * @param attributes of the span, where samplers leave probabilities and weights
 */
function sampleRateOf(traceState: string, attributes: JsonObject): number {
  return inTraceState(traceState) ?? inAttributes(attributes) ?? 1;
}

function inTraceState(traceState: string): number | null {
  const [, member = ""] = MEMBER.exec(traceState) ?? [];
  const [, threshold] = THRESHOLD.exec(member) ?? [];
  if (threshold !== undefined) return shareOf(1 - parseInt(threshold, 16) / 16 ** threshold.length);
  const [, power] = POWER.exec(member) ?? [];
  return power === undefined || Number(power) >= NEVER ? null : 2 ** -Number(power);
}

/** Above 1 it is a weight: one in so many was kept. */
function inAttributes(attributes: JsonObject): number | null {
  const number = numberIn(attributes, "sampling.probability", "sampling.rate", "SampleRate");
  if (number === null) return null;
  return shareOf(number > 1 ? 1 / number : number);
}

function shareOf(rate: number): number | null {
  return rate > 0 && rate <= 1 ? rate : null;
}
