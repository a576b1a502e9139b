import { createHash } from "node:crypto";
import type { Measurement, Span, SpanBatch, Transaction } from "../../../telemetry/records.ts";
import { attributesJson, numberIn, readAttributes, textIn } from "../attributes.ts";
import { clip, clippedName, type Raw, readBoolean, readText } from "../fields.ts";
import { readEventId, readSpanId, readTraceId } from "../ids.ts";
import {
  clockOf,
  type Decoded,
  idIn,
  type ItemContext,
  type ItemDecoder,
} from "../item_decoder.ts";
import type { JsonObject } from "../json.ts";
import { TEXT } from "../limits.ts";
import { eventTime, nearestKept } from "../normalize/clock.ts";
import { readTime } from "../timestamps.ts";
import { filterOf, readContainer } from "./container.ts";
import { clientSampleRate } from "./sample_rate.ts";

/** An element of the container with what its attributes say beside the span itself. */
interface Element {
  readonly traceId: string;
  readonly span: Span;
  readonly attributes: JsonObject;
  readonly name: string;
  readonly environment: string;
  readonly release: string;
}

/** The container of spans v2: the whole of tracing in SDKs that stream spans. */
export const decodeSpanContainer: ItemDecoder = (item, context) => {
  const { elements, outcomes } = readContainer<Element>(item, {
    category: "span",
    invalid: "invalid_span",
    read: (raw) => readElement(raw, context),
  });
  return { ...recordsOf(elements, context), outcomes };
};

function readElement(raw: Raw, context: ItemContext): Element | string | null {
  const traceId = readTraceId(raw.trace_id);
  const spanId = readSpanId(raw.span_id);
  const start = readTime(raw.start_timestamp);
  const sentEnd = readTime(raw.end_timestamp);
  const name = clip(readText(raw.name) ?? "", TEXT.name).toWellFormed();
  if (traceId === undefined || spanId === undefined || start === undefined) return null;
  if (sentEnd === undefined || sentEnd < start) return null;
  const attributes = readAttributes(raw.attributes);
  const release = clippedName(textIn(attributes, "sentry.release"), TEXT.name) ?? "";
  const unwanted = filterOf(release, context);
  if (unwanted !== null) return unwanted;
  context.policy.scrubObject(attributes);
  const { shift, timestamp: end } = eventTime(sentEnd, clockOf(context));
  return {
    traceId,
    name,
    attributes,
    environment: clippedName(textIn(attributes, "sentry.environment"), TEXT.word) ?? "",
    release,
    span: {
      spanId,
      parentSpanId: readSpanId(raw.parent_span_id) ?? null,
      segmentId: readSpanId(attributes["sentry.segment.id"]) ?? null,
      isSegment: readBoolean(raw.is_segment) ?? false,
      start: nearestKept(start + shift, context),
      end,
      op: opOf(attributes),
      description: context.policy.scrubText(descriptionOf(name, attributes)),
      status: statusOf(readText(raw.status) ?? "", attributes),
      origin: clippedName(textIn(attributes, "sentry.origin"), TEXT.word) ?? "",
      data: attributes,
      measurements: vitalsOf(attributes),
    },
  };
}

/** The operation, guessed from the kind of work when it is not named. */
function opOf(attributes: JsonObject): string {
  const op = clippedName(textIn(attributes, "sentry.op"), 128);
  if (op !== undefined) return op;
  if (textIn(attributes, "http.request.method", "http.method") !== "") {
    const kind = textIn(attributes, "sentry.kind");
    return kind === "server" || kind === "client" ? `http.${kind}` : "http";
  }
  if (textIn(attributes, "db.system.name", "db.system") !== "") return "db";
  if (textIn(attributes, "gen_ai.system") !== "") return "gen_ai";
  if (textIn(attributes, "rpc.service") !== "") return "rpc";
  if (textIn(attributes, "messaging.system") !== "") return "message";
  return "default";
}

function descriptionOf(name: string, attributes: JsonObject): string {
  return clip(textIn(attributes, "db.query.text", "db.statement") || name, TEXT.url);
}

const STATUS_OF_HTTP: Readonly<Record<number, string>> = {
  400: "invalid_argument",
  401: "unauthenticated",
  403: "permission_denied",
  404: "not_found",
  409: "already_exists",
  413: "failed_precondition",
  429: "resource_exhausted",
  499: "cancelled",
  501: "unimplemented",
  503: "unavailable",
  504: "deadline_exceeded",
};

function statusOf(sent: string, attributes: JsonObject): string {
  if (sent !== "error") return clippedName(sent, TEXT.word) ?? "";
  const code = numberIn(attributes, "http.response.status_code") ?? 0;
  return STATUS_OF_HTTP[code] ??
    (code >= 400 && code < 500 ? "invalid_argument" : "internal_error");
}

const VITAL = /^browser\.web_vital\.(lcp|cls|fcp|fp|ttfb|inp)\.value$/;

function vitalsOf(attributes: JsonObject): Measurement[] {
  return Object.entries(attributes).flatMap(([key, value]) => {
    const name = VITAL.exec(key)?.[1];
    if (name === undefined || typeof value !== "number") return [];
    return [{ name, value, unit: name === "cls" ? "" : "millisecond" }];
  });
}

/** The elements by trace: a row of spans for each, and a transaction for every segment. */
function recordsOf(elements: readonly Element[], context: ItemContext): Pick<Decoded, "records"> {
  const traces = Map.groupBy(elements, ({ traceId }) => traceId);
  const batches = [...traces].map(([traceId, parts]) => batchOf(traceId, parts, context));
  const segments = elements.filter(({ span }) => span.isSegment);
  return { records: [...segments.map((element) => segmentOf(element, context)), ...batches] };
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

function batchOf(traceId: string, parts: readonly Element[], context: ItemContext): SpanBatch {
  const [first] = parts;
  const attributes = first?.attributes ?? {};
  const sdk = sdkOf(attributes, context);
  return {
    kind: "spans",
    batchId: idIn(context, traceId),
    traceId,
    timestamp: new Date(
      parts.reduce((min, { span }) => Math.min(min, span.start), Infinity) * 1000,
    ),
    receivedAt: context.receivedAt,
    environment: first?.environment ?? "",
    release: first?.release ?? "",
    transaction: clippedName(textIn(attributes, "sentry.segment.name"), TEXT.name) ?? "",
    platform: platformOf(sdk),
    sdk,
    clientSampleRate: clientSampleRate(context.header.trace?.sample_rate),
    spans: parts.map(({ span }) => span),
  };
}

const MAX_PAYLOAD = 65_536;

function segmentOf(
  { traceId, span, name, attributes, ...scope }: Element,
  context: ItemContext,
): Transaction {
  const sdk = sdkOf(attributes, context);
  const id = textIn(attributes, "user.id");
  const email = textIn(attributes, "user.email");
  const status = numberIn(attributes, "http.response.status_code", "http.status_code");
  return {
    kind: "transaction",
    // The same from whichever request it comes.
    eventId: createHash("md5").update(`${traceId}/${span.spanId}`).digest("hex"),
    sentAs: "segment",
    traceId,
    spanId: span.spanId,
    parentSpanId: span.parentSpanId,
    timestamp: new Date(span.end * 1000),
    startedAt: new Date(span.start * 1000),
    durationMs: (span.end - span.start) * 1000,
    receivedAt: context.receivedAt,
    name: name === "" ? "<unlabeled transaction>" : name,
    source: clippedName(
      textIn(attributes, "sentry.segment.name.source", "sentry.source"),
      TEXT.word,
    ) ?? "unknown",
    op: span.op,
    status: span.status,
    httpMethod: textIn(attributes, "http.request.method", "http.method").slice(0, 32).toUpperCase(),
    httpStatus: status !== null && status >= 100 && status < 600 ? Math.trunc(status) : null,
    platform: platformOf(sdk),
    ...scope,
    dist: clippedName(textIn(attributes, "sentry.dist"), TEXT.word) ?? "",
    user: id !== "" ? `id:${id}` : email !== "" ? `email:${email}` : null,
    tags: [],
    sdk,
    measurements: span.measurements,
    clientSampleRate: clientSampleRate(
      context.header.trace?.sample_rate,
      numberIn(attributes, "sentry.sample_rate"),
    ),
    profileId: readEventId(attributes["sentry.profile_id"]) ?? null,
    profilerId: readEventId(attributes["sentry.profiler_id"]) ?? null,
    payload: `{"attributes":${attributesJson(attributes, MAX_PAYLOAD)}}`,
  };
}
