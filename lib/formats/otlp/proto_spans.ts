import { LIMITS } from "./limits.ts";
import {
  newSpan,
  newSpanEvent,
  newSpanLink,
  type OtlpSpan,
  type OtlpSpanEvent,
  type OtlpSpanLink,
} from "./model.ts";
import { fineTimeOf } from "./text.ts";
import { readAttribute } from "./proto_any_value.ts";
import type { OtlpReader } from "./reader.ts";

/** Reads a `Span`. @throws {Refusal} 400 or 413 */
export function readSpan(reader: OtlpReader): OtlpSpan {
  return reader.message(spanField, newSpan());
}

function spanField(field: number, span: OtlpSpan, reader: OtlpReader): void {
  switch (field) {
    case 1:
      span.traceId = reader.id();
      break;
    case 2:
      span.spanId = reader.id();
      break;
    case 3:
      span.traceState = reader.text(LIMITS.traceState);
      break;
    case 4:
      span.parentSpanId = reader.id();
      break;
    case 5:
      span.name = reader.text(LIMITS.name);
      break;
    case 6:
      span.kind = reader.uint();
      break;
    case 7:
      ({ seconds: span.start, fine: span.startFine } = fineTimeOf(reader.fixedNanos()));
      break;
    case 8:
      ({ seconds: span.end, fine: span.endFine } = fineTimeOf(reader.fixedNanos()));
      break;
    case 9:
      readAttribute(span, reader);
      break;
    case 10:
      span.droppedAttributes += reader.uint();
      break;
    case 11:
      readEvent(span, reader);
      break;
    case 12:
      span.droppedEvents += reader.uint();
      break;
    case 13:
      readLink(span, reader);
      break;
    case 14:
      span.droppedLinks += reader.uint();
      break;
    case 15:
      reader.message(statusField, span);
      break;
    case 16:
      span.flags = reader.uint();
  }
}

function readEvent(span: OtlpSpan, reader: OtlpReader): void {
  if (!reader.isMessage) return;
  if (span.events.length < LIMITS.events) {
    span.events.push(reader.message(eventField, newSpanEvent()));
  } else {
    span.droppedEvents++;
  }
}

function eventField(field: number, event: OtlpSpanEvent, reader: OtlpReader): void {
  switch (field) {
    case 1:
      ({ seconds: event.time, fine: event.fine } = fineTimeOf(reader.fixedNanos()));
      break;
    case 2:
      event.name = reader.text(LIMITS.name);
      break;
    case 3:
      readAttribute(event, reader);
      break;
    case 4:
      event.droppedAttributes += reader.uint();
  }
}

function readLink(span: OtlpSpan, reader: OtlpReader): void {
  if (!reader.isMessage) return;
  if (span.links.length < LIMITS.links) {
    span.links.push(reader.message(linkField, newSpanLink()));
  } else {
    span.droppedLinks++;
  }
}

function linkField(field: number, link: OtlpSpanLink, reader: OtlpReader): void {
  switch (field) {
    case 1:
      link.traceId = reader.id();
      break;
    case 2:
      link.spanId = reader.id();
      break;
    case 4:
      readAttribute(link, reader);
      break;
    case 5:
      link.droppedAttributes += reader.uint();
  }
}

function statusField(field: number, span: OtlpSpan, reader: OtlpReader): void {
  if (field === 2) span.statusMessage = reader.text(LIMITS.text);
  else if (field === 3) span.statusCode = statusCodeOf(reader.uint());
}

/** An unknown code says as much as none. @param code as on the wire */
export function statusCodeOf(code: number): 0 | 1 | 2 {
  return code === 1 || code === 2 ? code : 0;
}
