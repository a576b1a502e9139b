/** Traces and logs as OpenTelemetry's exporters send them: many in one request, as JSON. */
import { errors } from "./code.ts";
import {
  type Attributes,
  linesOf,
  type Placed,
  type Segment,
  type Trace,
  type Work,
} from "./scene.ts";
import type { OtlpRequest } from "./send.ts";
import { service } from "./shop.ts";

/** What exporters put into one request. */
const ITEMS_A_REQUEST = 512;

type Json = Readonly<Record<string, unknown>>;

/** The requests of exporters, spans in the order in which they end. */
export function otlpRequests(segments: readonly Segment[]): OtlpRequest[] {
  const processes = Map.groupBy(segments, (segment) => JSON.stringify(resourceOf(segment)));
  return [...processes].flatMap(([text, own]) => {
    const resource = { attributes: attributes(JSON.parse(text)) };
    const spans = own.flatMap(({ trace, root, spans }) =>
      [root, ...spans].map((span) => ({ trace, span }))
    ).sort((a, b) => a.span.end - b.span.end);
    return [
      ...inRequests(spans.map(spanOf), (spans) => {
        const scope = { name: "io.opentelemetry.java-agent", version: "2.24.0" };
        const resourceSpans = [{ resource, scopeSpans: [{ scope, spans }] }];
        return { signal: "traces", body: { resourceSpans } };
      }),
      ...inRequests(own.flatMap(logsOf), (logRecords) => {
        const resourceLogs = [{
          resource,
          scopeLogs: [{ scope: { name: "com.shop.orders" }, logRecords }],
        }];
        return { signal: "logs", body: { resourceLogs } };
      }),
    ];
  });
}

function inRequests(items: readonly Json[], toRequest: (items: readonly Json[]) => OtlpRequest) {
  return Array.from(
    { length: Math.ceil(items.length / ITEMS_A_REQUEST) },
    (_, at) => toRequest(items.slice(at * ITEMS_A_REQUEST, (at + 1) * ITEMS_A_REQUEST)),
  );
}

function resourceOf({ trace: { scene }, entry }: Segment): Attributes {
  const { sdk: [name, version], platform } = service(entry.service);
  return {
    "service.name": entry.service,
    "service.version": scene.release(entry.service),
    "service.instance.id": entry.server,
    "deployment.environment.name": scene.environment,
    "host.name": entry.server,
    "telemetry.sdk.name": name,
    "telemetry.sdk.language": platform,
    "telemetry.sdk.version": version,
  };
}

const ERROR = 2;

function spanOf({ trace, span }: { readonly trace: Trace; readonly span: Placed }): Json {
  const { work, spanId, parentSpanId, start, end } = span;
  const { name, kind, data } = asAgent(work);
  return {
    traceId: trace.traceId,
    spanId,
    ...(parentSpanId !== null && { parentSpanId }),
    traceState: `ot=th:${trace.scene.sampling.threshold}`,
    name,
    kind,
    startTimeUnixNano: nanos(start),
    endTimeUnixNano: nanos(end),
    attributes: attributes({ ...data, ...work.data }),
    ...((work.status ?? "ok") !== "ok" && { status: { code: ERROR } }),
    ...(work.thrown !== undefined && { events: exceptionEvents(work.thrown, end) }),
  };
}

/** Work in the words of OpenTelemetry's Java agent. */
function asAgent({ op, name }: Work): { name: string; kind: number; data?: Attributes } {
  switch (op) {
    case "http.server":
      return { name, kind: 2 };
    case "http.client":
      return { name: name.split(" ")[0] ?? "", kind: 3 };
    case "queue.publish":
      return { name: `send ${name}`, kind: 4, data: messaging(name, "send", "publish") };
    case "queue.process":
      return { name: `process ${name}`, kind: 5, data: messaging(name, "process", "process") };
    case "db": {
      const [operation = ""] = name.split(" ", 1);
      const [, table = ""] = /\b(?:FROM|INTO|UPDATE) (\w+)/.exec(name) ?? [];
      const data = {
        "db.system.name": "postgresql",
        "db.namespace": "orders",
        "db.query.text": name,
        "db.operation.name": operation,
        "db.collection.name": table,
        "server.address": "orders-db.shop.internal",
        "server.port": 5432,
      };
      return { name: `${operation} orders.${table}`, kind: 3, data };
    }
    default:
      return { name, kind: 1 };
  }
}

function messaging(queue: string, type: string, operation: string): Attributes {
  return {
    "messaging.system": "rabbitmq",
    "messaging.destination.name": queue,
    "messaging.operation.type": type,
    "messaging.operation.name": operation,
  };
}

/** The stack as Java prints it, its innermost function first. */
function exceptionEvents(text: string, time: number): Json[] {
  return errors(text).map(({ type, message, frames }) => {
    const lines = frames.toReversed().map(({ name, file, line }) =>
      `\tat ${name}(${file}:${line})`
    );
    return {
      timeUnixNano: nanos(time),
      name: "exception",
      attributes: attributes({
        "exception.type": type,
        "exception.message": message,
        "exception.stacktrace": [`${type}: ${message}`, ...lines].join("\n"),
      }),
    };
  });
}

const SEVERITIES = { info: 9, warn: 13, error: 17 };

function logsOf({ trace, root }: Segment): Json[] {
  return linesOf(root).map(({ level, body, data, time }) => ({
    timeUnixNano: nanos(time),
    severityNumber: SEVERITIES[level],
    severityText: level.toUpperCase(),
    body: { stringValue: body },
    attributes: attributes(data),
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
