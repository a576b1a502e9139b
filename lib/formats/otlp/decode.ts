import type { Raw } from "../fields.ts";
import { field, JsonFields, objectsIn, parseRequest } from "./json.ts";
import { type FieldReader, type Message, message } from "./message.ts";
import {
  type Attributed,
  fineTimeOf,
  newGroup,
  newLog,
  newScope,
  newSpan,
  newSpanEvent,
  newSpanLink,
  type OtlpLog,
  type OtlpSpan,
  type OtlpSpanEvent,
  type OtlpSpanLink,
  type ResourceGroup,
  type Scope,
} from "./model.ts";
import { refuseFloods } from "./floods.ts";
import { refuseDamaged } from "./proto_reader.ts";
import { ProtoFields } from "./proto_values.ts";
import { bodyEncoding, LIMITS, tooManyItems, tooManyParts } from "./request.ts";

/**
 * Reads an `ExportTraceServiceRequest`.
 *
 * @param body decompressed
 * @param contentType of the request, as sent
 * @throws {Refusal} 415 for another content type, 413 for too many spans or parts, 400 for what is no such request
 */
export function decodeTraces(body: Uint8Array, contentType: string): ResourceGroup<OtlpSpan>[] {
  return decodeGroups(body, contentType, SPANS);
}

/** Reads an `ExportLogsServiceRequest`. Parameters and what it throws are as of {@linkcode decodeTraces}. */
export function decodeLogs(body: Uint8Array, contentType: string): ResourceGroup<OtlpLog>[] {
  return decodeGroups(body, contentType, LOGS);
}

function decodeGroups<T>(
  body: Uint8Array,
  contentType: string,
  signal: Signal<T>,
): ResourceGroup<T>[] {
  if (bodyEncoding(body, contentType) === "json") {
    const raw = parseRequest(body, JSON_PARTS);
    refuseJsonFloods(raw, signal);
    return new JsonFields().read(raw, signal.request, []);
  }
  return refuseDamaged(() => {
    refuseFloods(body, signal.what);
    return new ProtoFields(body).readWhole(signal.request, []);
  });
}

/** What a request in JSON may have. */
export const JSON_PARTS = { parts: LIMITS.jsonParts, tooMany: tooManyParts };

/** Where a signal's items are in a request. */
interface Places {
  readonly what: "spans" | "logs";
  readonly groups: string;
  readonly scopes: string;
  readonly items: string;
}

interface Signal<T> extends Places {
  readonly request: Message<ResourceGroup<T>[]>;
}

/** What has attributes, and nothing else that is read: a `Resource`. */
export const RESOURCE: Message<Attributed> = message(
  [1, "attributes", (resource, from) => from.attributes(resource)],
  [2, "droppedAttributesCount", (resource, from) => resource.droppedAttributes += from.uint()],
);

/** `InstrumentationScope`. */
export const SCOPE: Message<Scope<unknown>> = message(
  [1, "name", (scope, from) => scope.name = from.text(LIMITS.name)],
  [2, "version", (scope, from) => scope.version = from.text(LIMITS.name)],
  [3, "attributes", (scope, from) => from.attributes(scope)],
  [4, "droppedAttributesCount", (scope, from) => scope.droppedAttributes += from.uint()],
);

/** What all signals have in common: a list of resources, each with scopes, each with items. */
function signalOf<T>(places: Places, item: Message<T>, newItem: () => T): Signal<T> {
  const addItem = ({ items }: Scope<T>, from: FieldReader) =>
    items.push(from.inner(item, newItem()));
  const scope = message<Scope<T>>(
    [1, "scope", (scope, from) => from.inner(SCOPE, scope)],
    [2, places.items, (scope, from) => from.each(addItem, scope)],
  );
  const addScope = ({ scopes }: ResourceGroup<T>, from: FieldReader) =>
    scopes.push(from.inner(scope, newScope<T>()));
  const group = message<ResourceGroup<T>>(
    [1, "resource", (group, from) => from.inner(RESOURCE, group)],
    [2, places.scopes, (group, from) => from.each(addScope, group)],
  );
  const addGroup = (groups: ResourceGroup<T>[], from: FieldReader) =>
    groups.push(from.inner(group, newGroup<T>()));
  const request = message<ResourceGroup<T>[]>(
    [1, places.groups, (groups, from) => from.each(addGroup, groups)],
  );
  return { ...places, request };
}

/** Counts before anything is read, as {@linkcode refuseFloods} does. @throws {Refusal} 413 */
function refuseJsonFloods(raw: Raw, { what, groups, scopes, items }: Places): void {
  const sent = objectsIn(field(raw, groups)).map((group) => objectsIn(field(group, scopes)));
  if (sent.length > LIMITS.groups) throw tooManyParts();
  let count = 0;
  let places = sent.length;
  for (const scopes of sent) {
    places += scopes.length;
    for (const scope of scopes) {
      const list = field(scope, items);
      if (Array.isArray(list)) count += list.length;
    }
  }
  if (count > LIMITS[what]) throw tooManyItems(what);
  if (places > LIMITS.groups) throw tooManyParts();
}

const KINDS = ["UNSPECIFIED", "INTERNAL", "SERVER", "CLIENT", "PRODUCER", "CONSUMER"];
const STATUS_CODES = ["UNSET", "OK", "ERROR"];

const EVENT = message<OtlpSpanEvent>(
  [1, "timeUnixNano", (event, from) => {
    ({ seconds: event.time, fine: event.fine } = fineTimeOf(from.nanos()));
  }],
  [2, "name", (event, from) => event.name = from.text(LIMITS.name)],
  [3, "attributes", (event, from) => from.attributes(event)],
  [4, "droppedAttributesCount", (event, from) => event.droppedAttributes += from.uint()],
);

const LINK = message<OtlpSpanLink>(
  [1, "traceId", (link, from) => link.traceId = from.id(16)],
  [2, "spanId", (link, from) => link.spanId = from.id(8)],
  [4, "attributes", (link, from) => from.attributes(link)],
  [5, "droppedAttributesCount", (link, from) => link.droppedAttributes += from.uint()],
);

const STATUS = message<OtlpSpan>(
  [2, "message", (span, from) => span.statusMessage = from.text(LIMITS.text)],
  [3, "code", (span, from) => {
    const code = from.choice("STATUS_CODE_", STATUS_CODES);
    // An unknown code says as much as none.
    span.statusCode = code === 1 || code === 2 ? code : 0;
  }],
);

const SPAN = message<OtlpSpan>(
  [1, "traceId", (span, from) => span.traceId = from.id(16)],
  [2, "spanId", (span, from) => span.spanId = from.id(8)],
  [3, "traceState", (span, from) => span.traceState = from.text(LIMITS.traceState)],
  [4, "parentSpanId", (span, from) => span.parentSpanId = from.id(8)],
  [5, "name", (span, from) => span.name = from.text(LIMITS.name)],
  [6, "kind", (span, from) => span.kind = from.choice("SPAN_KIND_", KINDS)],
  [7, "startTimeUnixNano", (span, from) => {
    ({ seconds: span.start, fine: span.startFine } = fineTimeOf(from.nanos()));
  }],
  [8, "endTimeUnixNano", (span, from) => {
    ({ seconds: span.end, fine: span.endFine } = fineTimeOf(from.nanos()));
  }],
  [9, "attributes", (span, from) => from.attributes(span)],
  [10, "droppedAttributesCount", (span, from) => span.droppedAttributes += from.uint()],
  [11, "events", (span, from) => from.each(addEvent, span)],
  [12, "droppedEventsCount", (span, from) => span.droppedEvents += from.uint()],
  [13, "links", (span, from) => from.each(addLink, span)],
  [14, "droppedLinksCount", (span, from) => span.droppedLinks += from.uint()],
  [15, "status", (span, from) => from.inner(STATUS, span)],
  [16, "flags", (span, from) => span.flags = from.uint()],
);

function addEvent(span: OtlpSpan, from: FieldReader): void {
  if (span.events.length === LIMITS.events) span.droppedEvents++;
  else span.events.push(from.inner(EVENT, newSpanEvent()));
}

function addLink(span: OtlpSpan, from: FieldReader): void {
  if (span.links.length === LIMITS.links) span.droppedLinks++;
  else span.links.push(from.inner(LINK, newSpanLink()));
}

const SPANS = signalOf(
  { what: "spans", groups: "resourceSpans", scopes: "scopeSpans", items: "spans" },
  SPAN,
  newSpan,
);

/** Names of the 24 severities, by their numbers: `TRACE`, `TRACE2` … `FATAL4`. */
const SEVERITIES = [
  "UNSPECIFIED",
  ...["TRACE", "DEBUG", "INFO", "WARN", "ERROR", "FATAL"].flatMap((name) =>
    ["", "2", "3", "4"].map((step) => name + step)
  ),
];

const LOG = message<OtlpLog>(
  [1, "timeUnixNano", (log, from) => log.time = from.nanos()],
  [2, "severityNumber", (log, from) => log.severity = from.choice("SEVERITY_NUMBER_", SEVERITIES)],
  [3, "severityText", (log, from) => log.severityText = from.text(LIMITS.name)],
  [5, "body", (log, from) => log.body = from.value()],
  [6, "attributes", (log, from) => from.attributes(log)],
  [7, "droppedAttributesCount", (log, from) => log.droppedAttributes += from.uint()],
  [9, "traceId", (log, from) => log.traceId = from.id(16)],
  [10, "spanId", (log, from) => log.spanId = from.id(8)],
  [11, "observedTimeUnixNano", (log, from) => log.observedTime = from.nanos()],
  [12, "eventName", (log, from) => log.eventName = from.text(LIMITS.name)],
);

const LOGS = signalOf(
  { what: "logs", groups: "resourceLogs", scopes: "scopeLogs", items: "logRecords" },
  LOG,
  newLog,
);
