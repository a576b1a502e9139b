import { asObject, type Raw } from "../fields.ts";
import { LIMITS } from "./limits.ts";
import {
  newSpan,
  newSpanEvent,
  newSpanLink,
  type OtlpSpan,
  type OtlpSpanEvent,
  type OtlpSpanLink,
} from "./model.ts";
import { statusCodeOf } from "./proto_spans.ts";
import { fineTimeOf } from "./text.ts";
import { readAttributes } from "./any_value.ts";
import { enumOf, field, idOf, nanosOf, objectsIn, textOf, uintOf } from "./fields.ts";
import type { JsonSignal } from "./resources.ts";

const KINDS = ["UNSPECIFIED", "INTERNAL", "SERVER", "CLIENT", "PRODUCER", "CONSUMER"];
const STATUS_CODES = ["UNSET", "OK", "ERROR"];

/** Where spans are in an export request. */
export const JSON_SPANS: JsonSignal<OtlpSpan> = {
  what: "spans",
  groups: "resourceSpans",
  scopes: "scopeSpans",
  items: "spans",
  readItem: readSpan,
};

function readSpan(raw: Raw): OtlpSpan {
  const span = newSpan();
  span.traceId = idOf(field(raw, "traceId"), 16);
  span.spanId = idOf(field(raw, "spanId"), 8);
  span.parentSpanId = idOf(field(raw, "parentSpanId"), 8);
  span.traceState = textOf(field(raw, "traceState"), LIMITS.traceState);
  span.name = textOf(raw.name, LIMITS.name);
  span.kind = enumOf(raw.kind, "SPAN_KIND_", KINDS);
  ({ seconds: span.start, fine: span.startFine } = fineTimeOf(
    nanosOf(field(raw, "startTimeUnixNano")),
  ));
  ({ seconds: span.end, fine: span.endFine } = fineTimeOf(nanosOf(field(raw, "endTimeUnixNano"))));
  span.flags = uintOf(raw.flags);
  readAttributes(span, raw);
  readStatus(span, asObject(raw.status) ?? {});
  readEvents(span, raw);
  readLinks(span, raw);
  return span;
}

function readStatus(span: OtlpSpan, raw: Raw): void {
  span.statusMessage = textOf(raw.message, LIMITS.text);
  span.statusCode = statusCodeOf(enumOf(raw.code, "STATUS_CODE_", STATUS_CODES));
}

function readEvents(span: OtlpSpan, raw: Raw): void {
  const events = objectsIn(raw.events);
  for (const event of events.slice(0, LIMITS.events)) span.events.push(readEvent(event));
  span.droppedEvents = uintOf(field(raw, "droppedEventsCount")) +
    Math.max(0, events.length - LIMITS.events);
}

function readEvent(raw: Raw): OtlpSpanEvent {
  const event = newSpanEvent();
  ({ seconds: event.time, fine: event.fine } = fineTimeOf(nanosOf(field(raw, "timeUnixNano"))));
  event.name = textOf(raw.name, LIMITS.name);
  readAttributes(event, raw);
  return event;
}

function readLinks(span: OtlpSpan, raw: Raw): void {
  const links = objectsIn(raw.links);
  for (const link of links.slice(0, LIMITS.links)) span.links.push(readLink(link));
  span.droppedLinks = uintOf(field(raw, "droppedLinksCount")) +
    Math.max(0, links.length - LIMITS.links);
}

function readLink(raw: Raw): OtlpSpanLink {
  const link = newSpanLink();
  link.traceId = idOf(field(raw, "traceId"), 16);
  link.spanId = idOf(field(raw, "spanId"), 8);
  readAttributes(link, raw);
  return link;
}
