/** Traces and logs as OpenTelemetry's exporters send them: many in one request, as JSON. */
import type { Trace } from "./history.ts";
import { SERVICES } from "./services.ts";
import { linesOf, type Placed, type Segment } from "./placed.ts";
import type { Attributes, LogLine, SpanKind, Thrown } from "./work.ts";

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
