/** Requests as exporters write them, in OTLP's JSON form. */
export const TRACE = "5b8efff798038103d269b633813fc60c";
export const RECEIVED_AT = new Date("2026-11-21T00:20:00Z");
const BASE = BigInt(RECEIVED_AT.getTime() - 60_000) * 1_000_000n;

/** Nanoseconds since 1970, `ms` after a minute before the receipt. */
export function nanosAt(ms: number): string {
  return String(BASE + BigInt(Math.round(ms * 1_000_000)));
}

/** One attribute, its type by what the value is. */
export function attribute(key: string, value: unknown): Record<string, unknown> {
  return { key, value: anyValue(value) };
}

/** A value of OTLP's. */
export function anyValue(value: unknown): Record<string, unknown> {
  if (typeof value === "string") return { stringValue: value };
  if (typeof value === "boolean") return { boolValue: value };
  if (typeof value === "number") {
    return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
  }
  if (Array.isArray(value)) return { arrayValue: { values: value.map(anyValue) } };
  if (typeof value === "object" && value !== null) {
    return { kvlistValue: { values: attributes(value as Record<string, unknown>) } };
  }
  return {};
}

/** Attributes out of an object. */
export function attributes(values: Record<string, unknown>): Record<string, unknown>[] {
  return Object.entries(values).map(([key, value]) => attribute(key, value));
}

/** The resource of a Node.js service. */
export const RESOURCE = {
  "service.name": "checkout",
  "service.version": "1.4.2",
  "deployment.environment.name": "production",
  "host.name": "web-1",
  "telemetry.sdk.language": "nodejs",
  "telemetry.sdk.name": "opentelemetry",
  "telemetry.sdk.version": "2.12.0",
};

/** A server span of Node.js with a route, and what `fields` say otherwise. */
export function serverSpan(fields: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    traceId: TRACE,
    spanId: "eee19b7ec3c1b174",
    name: "GET /api/users/:id",
    kind: 2,
    startTimeUnixNano: nanosAt(0),
    endTimeUnixNano: nanosAt(120.5),
    attributes: attributes({
      "http.request.method": "GET",
      "http.route": "/api/users/:id",
      "http.response.status_code": 200,
      "url.path": "/api/users/42",
      "url.scheme": "https",
      "server.address": "shop.example",
      "network.protocol.version": "1.1",
      "user_agent.original": "curl/8.5",
    }),
    status: {},
    flags: 257,
    ...fields,
  };
}

/** A request of one resource and one scope. */
export function traces(
  spans: readonly unknown[],
  resource: Record<string, unknown> = RESOURCE,
): Record<string, unknown> {
  const scope = { name: "@opentelemetry/instrumentation-http", version: "0.223.0" };
  return {
    resourceSpans: [{
      resource: { attributes: attributes(resource) },
      scopeSpans: [{ scope, spans }],
    }],
  };
}

/** The same for log records. */
export function logs(
  logRecords: readonly unknown[],
  resource: Record<string, unknown> = RESOURCE,
): Record<string, unknown> {
  return {
    resourceLogs: [{
      resource: { attributes: attributes(resource) },
      scopeLogs: [{ scope: { name: "winston", version: "3.1.0" }, logRecords }],
    }],
  };
}

/** The same for metrics. */
export function metrics(
  list: readonly unknown[],
  resource: Record<string, unknown> = RESOURCE,
): Record<string, unknown> {
  return {
    resourceMetrics: [{
      resource: { attributes: attributes(resource) },
      scopeMetrics: [{ scope: { name: "shop", version: "1.0" }, metrics: list }],
    }],
  };
}
