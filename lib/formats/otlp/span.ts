import { type Span, SPAN_KINDS, type SpanKind } from "../../records/mod.ts";
import type { DecodeContext } from "../../ingest/protocol.ts";
import { textIn } from "../attributes.ts";
import { clip, clippedName } from "../fields.ts";
import type { JsonObject } from "../json.ts";
import { TEXT } from "../limits.ts";
import { nearestKept } from "../clock.ts";
import { canonicalAttributes } from "../spans/canonical_attributes.ts";
import { otelStatus } from "../spans/otel_status.ts";
import { spanFacts } from "../spans/span_facts.ts";
import type { OtlpSpan } from "./model.ts";
import { isEntrySpan, isSpanId, isTraceId } from "./span_checks.ts";

/** What a span's surroundings say of it. */
export interface SpanPlace {
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
export function toSpan(
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
