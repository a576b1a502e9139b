/** Traces and logs as OpenTelemetry's exporters send them: many in one request, as JSON. */
import type { Trace } from "./history.ts";
import {
  type Attributes,
  linesOf,
  type LogLine,
  type Placed,
  type Segment,
  type Served,
  type SpanKind,
  type Thrown,
  type Work,
} from "./scene.ts";
import { SERVICES } from "./services.ts";

/** The part of a trace that one service with OpenTelemetry tells of. */
export interface OtlpPart {
  readonly trace: Trace;
  readonly segment: Segment;
}

export interface OtlpRequest {
  readonly signal: "traces" | "logs" | "metrics";
  readonly body: Readonly<Record<string, unknown>>;
}

/** What exporters put into one request. */
const SPANS_A_REQUEST = 512;

type Json = Readonly<Record<string, unknown>>;

/** The requests of an exporter, spans in the order in which they end. */
export function otlpRequests(parts: readonly OtlpPart[]): OtlpRequest[] {
  const processes = Map.groupBy(
    parts,
    ({ trace, segment }) => JSON.stringify(resourceOf(trace, segment)),
  );
  return [...processes.values()].flatMap((own) => {
    const [first] = own;
    if (first === undefined) return [];
    const resource = { attributes: attributes(resourceOf(first.trace, first.segment)) };
    const spans = own.flatMap((part) =>
      [part.segment.root, ...part.segment.spans].map((span) => ({ ...part, span }))
    ).sort((a, b) => a.span.end - b.span.end);
    return [
      ...inRequests(spans.map(spanOf), (items) => traceRequest(resource, items)),
      ...inRequests(own.flatMap(logsOf), (items) => logRequest(resource, items)),
    ];
  });
}

function inRequests(items: readonly Json[], toRequest: (items: readonly Json[]) => OtlpRequest) {
  const count = Math.ceil(items.length / SPANS_A_REQUEST);
  return Array.from(
    { length: count },
    (_, at) => toRequest(items.slice(at * SPANS_A_REQUEST, (at + 1) * SPANS_A_REQUEST)),
  );
}

function traceRequest(resource: Json, spans: readonly Json[]): OtlpRequest {
  const scope = { name: "io.opentelemetry.java-agent", version: "2.24.0" };
  return {
    signal: "traces",
    body: { resourceSpans: [{ resource, scopeSpans: [{ scope, spans }] }] },
  };
}

function logRequest(resource: Json, logRecords: readonly Json[]): OtlpRequest {
  const scope = { name: "com.shop.orders" };
  return {
    signal: "logs",
    body: { resourceLogs: [{ resource, scopeLogs: [{ scope, logRecords }] }] },
  };
}

function resourceOf({ scene }: Trace, { entry }: Segment): Attributes {
  const { sdk, platform } = SERVICES[entry.service];
  return {
    "service.name": entry.service,
    "service.version": scene.release(entry.service),
    "service.instance.id": entry.server,
    "deployment.environment.name": scene.environment,
    "host.name": entry.server,
    "telemetry.sdk.name": sdk.name,
    "telemetry.sdk.language": platform,
    "telemetry.sdk.version": sdk.version,
  };
}

const KINDS: Readonly<Record<SpanKind, number>> = {
  internal: 1,
  server: 2,
  client: 3,
  producer: 4,
  consumer: 5,
};
const ERROR = 2;

function spanOf({ trace, span }: OtlpPart & { readonly span: Placed }): Json {
  const { work, spanId, parentSpanId, start, end } = span;
  const isFailed = (work.status ?? "ok") !== "ok";
  return {
    traceId: trace.traceId,
    spanId,
    ...(parentSpanId !== null && { parentSpanId }),
    traceState: `ot=th:${trace.scene.sampling.threshold}`,
    name: work.name,
    kind: KINDS[work.kind ?? "internal"],
    startTimeUnixNano: nanos(start),
    endTimeUnixNano: nanos(end),
    attributes: attributes(work.data ?? {}),
    ...(isFailed && { status: { code: ERROR } }),
    ...(work.thrown && { events: [exceptionEvent(work.thrown, end)] }),
  };
}

function exceptionEvent(thrown: Thrown, time: number): Json {
  return {
    timeUnixNano: nanos(time),
    name: "exception",
    attributes: attributes({
      "exception.type": thrown.type,
      "exception.message": thrown.message,
      "exception.stacktrace": javaStack(thrown),
    }),
  };
}

/** Innermost frame first, as Java prints it. */
function javaStack({ type, message, frames }: Thrown): string {
  const lines = frames.toReversed().map(({ module, function: name, filename, line }) =>
    `\tat ${module}.${name}(${filename}:${line})`
  );
  return [`${type}: ${message}`, ...lines].join("\n");
}

const SEVERITIES: Readonly<Record<LogLine["level"], number>> = { info: 9, warn: 13, error: 17 };

function logsOf({ trace, segment: { root } }: OtlpPart): Json[] {
  return linesOf(root).map(({ level, body, data, time }) => ({
    timeUnixNano: nanos(time),
    severityNumber: SEVERITIES[level],
    severityText: level.toUpperCase(),
    body: { stringValue: body },
    attributes: attributes(data ?? {}),
    traceId: trace.traceId,
    spanId: root.spanId,
  }));
}

/** @param seconds since 1970, of which a double holds microseconds */
export function nanos(seconds: number): string {
  return `${Math.round(seconds * 1e6)}000`;
}

/** Attributes as OTLP writes them. */
export function attributes(values: Attributes): Json[] {
  return Object.entries(values).map(([key, value]) => ({ key, value: anyValue(value) }));
}

function anyValue(value: Attributes[string]): Json {
  if (typeof value === "string") return { stringValue: value };
  if (typeof value === "boolean") return { boolValue: value };
  if (typeof value !== "number") {
    return { arrayValue: { values: value.map((each) => ({ stringValue: each })) } };
  }
  return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}

/** Work as OpenTelemetry's Java agent tells of it. */

/** A statement in the database of the orders. */
export function statement(text: string, ms: number, more: Partial<Work> = {}): Work {
  const [operation = ""] = text.split(" ", 1);
  const [, table = ""] = /\b(?:FROM|INTO|UPDATE) (\w+)/.exec(text) ?? [];
  return {
    name: `${operation} orders.${table}`,
    kind: "client",
    ms,
    data: {
      "db.system.name": "postgresql",
      "db.namespace": "orders",
      "db.query.text": text,
      "db.operation.name": operation,
      "db.collection.name": table,
      "server.address": "orders-db.shop.internal",
      "server.port": 5432,
    },
    ...more,
  };
}

/** A request to another service. */
export function request(
  { method, url, status }: Pick<Served, "method" | "url" | "status">,
  ms: number,
  parts: readonly Work[] = [],
): Work {
  return {
    name: method,
    kind: "client",
    ms,
    parts,
    data: {
      "http.request.method": method,
      "url.full": url,
      "server.address": new URL(url).hostname,
      "http.response.status_code": status,
    },
    status: status >= 400 ? "internal_error" : "ok",
  };
}

/** A request that the service answers. */
export function respond(
  http: Served,
  work: Pick<Work, "ms" | "parts" | "logs" | "thrown">,
  data: Attributes = {},
): Work {
  const { host, pathname, protocol } = new URL(http.url);
  return {
    name: `${http.method} ${http.route}`,
    kind: "server",
    ...work,
    data: {
      "http.request.method": http.method,
      "http.route": http.route,
      "http.response.status_code": http.status,
      "url.path": pathname,
      "url.scheme": protocol.replace(":", ""),
      "server.address": host,
      "network.protocol.version": "1.1",
      ...data,
    },
    status: http.status >= 500 ? "internal_error" : "ok",
    entry: { service: "orders", server: "orders-api-1", http },
  };
}

/** A message put into a queue, and what its consumer does with it. */
export function publish(queue: string, ms: number, consumer: Work): Work {
  return { ...messaging(queue, "send", "producer"), ms, parts: [consumer] };
}

/** What a worker does with a message, some time after it was put into the queue. */
export function consume(
  queue: string,
  work: Pick<Work, "ms" | "parts" | "laterMs" | "logs" | "status" | "thrown">,
): Work {
  const entry = { service: "orders", server: "orders-worker-1" } as const;
  return { ...messaging(queue, "process", "consumer"), ...work, entry };
}

function messaging(queue: string, type: "send" | "process", kind: "producer" | "consumer") {
  return {
    name: `${type} ${queue}`,
    kind,
    data: {
      "messaging.system": "rabbitmq",
      "messaging.destination.name": queue,
      "messaging.operation.type": type,
      "messaging.operation.name": type === "send" ? "publish" : "process",
    },
  };
}
