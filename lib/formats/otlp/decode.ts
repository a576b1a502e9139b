import { asObject, type Raw } from "../fields.ts";
import {
  enumOf,
  field,
  idOf,
  type JsonSignal,
  nanosOf,
  objectsIn,
  readAttributes,
  readGroups as readJson,
  textOf,
  uintOf,
  valueOf,
} from "./json.ts";
import { type OtlpReader, refuseDamaged, refuseFloods } from "./proto_reader.ts";
import {
  fineTimeOf,
  newLog,
  newSpan,
  newSpanEvent,
  newSpanLink,
  type OtlpLog,
  type OtlpSpan,
  type OtlpSpanEvent,
  type OtlpSpanLink,
  type ResourceGroup,
} from "./model.ts";
import {
  type ItemReader,
  readAttribute,
  readGroups as readProtobuf,
  readValue,
} from "./proto_values.ts";
import { bodyEncoding, LIMITS } from "./request.ts";

/**
 * Reads an `ExportTraceServiceRequest`.
 *
 * @param body decompressed
 * @param contentType of the request, as sent
 * @throws {Refusal} 415 for another content type, 413 for too many spans or parts, 400 for what is no such request
 */
export function decodeTraces(body: Uint8Array, contentType: string): ResourceGroup<OtlpSpan>[] {
  return decodeGroups(body, contentType, { protobuf: readSpan, json: JSON_SPANS });
}

/** Reads an `ExportLogsServiceRequest`. Parameters and what it throws are as of {@linkcode decodeTraces}. */
export function decodeLogs(body: Uint8Array, contentType: string): ResourceGroup<OtlpLog>[] {
  return decodeGroups(body, contentType, { protobuf: readLog, json: JSON_LOGS });
}

interface Readers<T> {
  readonly protobuf: ItemReader<T>;
  readonly json: JsonSignal<T>;
}

function decodeGroups<T>(
  body: Uint8Array,
  contentType: string,
  { protobuf, json }: Readers<T>,
): ResourceGroup<T>[] {
  if (bodyEncoding(body, contentType) === "json") return readJson(body, json);
  return refuseDamaged(() => {
    refuseFloods(body, json.what);
    return readProtobuf(body, protobuf);
  });
}

/** Reads a `Span`. @throws {Refusal} 400 or 413 */
function readSpan(reader: OtlpReader): OtlpSpan {
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
function statusCodeOf(code: number): 0 | 1 | 2 {
  return code === 1 || code === 2 ? code : 0;
}

const KINDS = ["UNSPECIFIED", "INTERNAL", "SERVER", "CLIENT", "PRODUCER", "CONSUMER"];
const STATUS_CODES = ["UNSET", "OK", "ERROR"];

/** Where spans are in an export request. */
const JSON_SPANS: JsonSignal<OtlpSpan> = {
  what: "spans",
  groups: "resourceSpans",
  scopes: "scopeSpans",
  items: "spans",
  readItem: readSpanJsonSpans,
};

function readSpanJsonSpans(raw: Raw): OtlpSpan {
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
  for (const event of events.slice(0, LIMITS.events)) span.events.push(readEventJsonSpans(event));
  span.droppedEvents = uintOf(field(raw, "droppedEventsCount")) +
    Math.max(0, events.length - LIMITS.events);
}

function readEventJsonSpans(raw: Raw): OtlpSpanEvent {
  const event = newSpanEvent();
  ({ seconds: event.time, fine: event.fine } = fineTimeOf(nanosOf(field(raw, "timeUnixNano"))));
  event.name = textOf(raw.name, LIMITS.name);
  readAttributes(event, raw);
  return event;
}

function readLinks(span: OtlpSpan, raw: Raw): void {
  const links = objectsIn(raw.links);
  for (const link of links.slice(0, LIMITS.links)) span.links.push(readLinkJsonSpans(link));
  span.droppedLinks = uintOf(field(raw, "droppedLinksCount")) +
    Math.max(0, links.length - LIMITS.links);
}

function readLinkJsonSpans(raw: Raw): OtlpSpanLink {
  const link = newSpanLink();
  link.traceId = idOf(field(raw, "traceId"), 16);
  link.spanId = idOf(field(raw, "spanId"), 8);
  readAttributes(link, raw);
  return link;
}

/** Reads a `LogRecord`. @throws {Refusal} 400 or 413 */
function readLog(reader: OtlpReader): OtlpLog {
  return reader.message(logField, newLog());
}

function logField(field: number, log: OtlpLog, reader: OtlpReader): void {
  switch (field) {
    case 1:
      log.time = reader.fixedNanos();
      break;
    case 2:
      log.severity = reader.uint();
      break;
    case 3:
      log.severityText = reader.text(LIMITS.name);
      break;
    case 5:
      log.body = readValue(reader);
      break;
    case 6:
      readAttribute(log, reader);
      break;
    case 7:
      log.droppedAttributes += reader.uint();
      break;
    case 9:
      log.traceId = reader.id();
      break;
    case 10:
      log.spanId = reader.id();
      break;
    case 11:
      log.observedTime = reader.fixedNanos();
      break;
    case 12:
      log.eventName = reader.text(LIMITS.name);
  }
}

/** Names of the 24 severities, by their numbers: `TRACE`, `TRACE2` … `FATAL4`. */
const SEVERITIES = [
  "UNSPECIFIED",
  ...["TRACE", "DEBUG", "INFO", "WARN", "ERROR", "FATAL"].flatMap((name) =>
    ["", "2", "3", "4"].map((step) => name + step)
  ),
];

/** Where log records are in an export request. */
const JSON_LOGS: JsonSignal<OtlpLog> = {
  what: "logs",
  groups: "resourceLogs",
  scopes: "scopeLogs",
  items: "logRecords",
  readItem: readLogJsonLogs,
};

function readLogJsonLogs(raw: Raw): OtlpLog {
  const log = newLog();
  log.time = nanosOf(field(raw, "timeUnixNano"));
  log.observedTime = nanosOf(field(raw, "observedTimeUnixNano"));
  log.severity = enumOf(field(raw, "severityNumber"), "SEVERITY_NUMBER_", SEVERITIES);
  log.severityText = textOf(field(raw, "severityText"), LIMITS.name);
  log.body = valueOf(raw.body);
  log.traceId = idOf(field(raw, "traceId"), 16);
  log.spanId = idOf(field(raw, "spanId"), 8);
  log.eventName = textOf(field(raw, "eventName"), LIMITS.name);
  readAttributes(log, raw);
  return log;
}
