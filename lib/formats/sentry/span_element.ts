import type { Span } from "../../records/mod.ts";
import { isBeforeRetention } from "../spans/before_retention.ts";
import { canonicalAttributes } from "../spans/canonical_attributes.ts";
import { sentryStatus } from "../spans/otel_status.ts";
import { spanFacts } from "../spans/span_facts.ts";
import { readSpanKind } from "../spans/span_kind.ts";
import { readSpanLinks } from "../spans/span_links.ts";
import { readVitals } from "../spans/web_vitals.ts";
import { readAttributes, textIn } from "../attributes.ts";
import { clip, clippedName, type Raw, readBoolean, readText } from "../fields.ts";
import { readSpanId, readTraceId } from "../ids.ts";
import { clockOf, type ItemContext } from "./item_decoder.ts";
import type { JsonObject } from "../json.ts";
import { TEXT } from "../limits.ts";
import { eventTime, nearestKept } from "../clock.ts";
import { readTime } from "../timestamps.ts";
import { filterOf } from "./container.ts";

/** An element of a container of spans, with what its attributes say beside the span itself. */
export interface SpanElement {
  readonly traceId: string;
  readonly span: Span;
  /** Those of the span. */
  readonly attributes: JsonObject;
  readonly environment: string;
  readonly release: string;
}

/**
 * Reads a span v2.
 *
 * @returns null when it is no use: without ids, with an end before its start, or begun before all that is kept; a text, which says why, when the
 * project does not want it
 */
export function readSpanElement(raw: Raw, context: ItemContext): SpanElement | string | null {
  const traceId = readTraceId(raw.trace_id);
  const spanId = readSpanId(raw.span_id);
  const start = readTime(raw.start_timestamp);
  const sentEnd = readTime(raw.end_timestamp);
  if (traceId === undefined || spanId === undefined || start === undefined) return null;
  if (sentEnd === undefined || sentEnd < start) return null;
  const { shift, timestamp: end, isTooOld } = eventTime(sentEnd, clockOf(context));
  if (isTooOld || isBeforeRetention(start + shift, context)) return null;
  const attributes = readAttributes(raw.attributes);
  const release = clippedName(textIn(attributes, "sentry.release"), TEXT.name) ?? "";
  const unwanted = filterOf(release, context);
  if (unwanted !== null) return unwanted;
  context.policy.scrubObject(attributes);
  canonicalAttributes(attributes);
  const times = { start: nearestKept(start + shift, context), end };
  return {
    traceId,
    attributes,
    environment: clippedName(textIn(attributes, "sentry.environment"), TEXT.word) ?? "",
    release,
    span: spanOf(raw, { spanId, ...times }, attributes, context),
  };
}

function spanOf(
  raw: Raw,
  place: Pick<Span, "spanId" | "start" | "end">,
  attributes: JsonObject,
  { policy }: ItemContext,
): Span {
  const name = policy.scrubText(clip(readText(raw.name) ?? "", TEXT.name).toWellFormed());
  const kind = readSpanKind(attributes["sentry.kind"]);
  const isSegment = readBoolean(raw.is_segment) ?? false;
  const op = clippedName(textIn(attributes, "sentry.op"), 128) ?? "";
  const origin = clippedName(textIn(attributes, "sentry.origin"), TEXT.word) ?? "";
  const status = clippedName(raw.status, TEXT.word) ?? "";
  const facts = spanFacts({ kind, name, op, description: "", attributes, isEntry: isSegment });
  return {
    ...place,
    parentSpanId: readSpanId(raw.parent_span_id) ?? null,
    segmentId: readSpanId(attributes["sentry.segment.id"]) ?? null,
    isSegment,
    name,
    kind,
    ...facts,
    description: clip(facts.description, TEXT.url),
    status: sentryStatus(status, attributes),
    origin,
    data: attributes,
    measurements: readVitals({
      measurements: [],
      attributes,
      origin,
      durationMs: (place.end - place.start) * 1000,
    }),
    events: [],
    links: readSpanLinks(raw.links, policy.scrubObject),
  };
}
