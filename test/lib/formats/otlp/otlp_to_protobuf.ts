/**
 * Encodes export requests with OpenTelemetry's own definitions: its SDK for JavaScript ships what protobufjs makes of the
 * official `.proto` files. So our readers are held to others' bytes, and not to what we believe of the format.
 */
import generated from "@opentelemetry/otlp-transformer/build/src/generated/root.js";
import type { Message, Type } from "protobufjs";

/** A message in its JSON form, as exporters write it. */
// deno-lint-ignore no-explicit-any
type Fields = any;

/** What protobufjs generates for a message; its own types do not name the packages. */
type MessageType = Pick<Type, "fromObject" | "encode" | "decode" | "toObject">;

// deno-lint-ignore no-explicit-any
const { trace, logs, metrics } = (generated as any).opentelemetry.proto.collector;

/** An export request as protobuf, from its JSON form. */
export function tracesToProtobuf(request: Fields): Uint8Array<ArrayBuffer> {
  return encoded(trace.v1.ExportTraceServiceRequest, request);
}

/** The same for logs. */
export function logsToProtobuf(request: Fields): Uint8Array<ArrayBuffer> {
  return encoded(logs.v1.ExportLogsServiceRequest, request);
}

/** The same for metrics. */
export function metricsToProtobuf(request: Fields): Uint8Array<ArrayBuffer> {
  return encoded(metrics.v1.ExportMetricsServiceRequest, request);
}

/** Reads an answer to spans. */
export function traceAnswerOf(bytes: Uint8Array): Fields {
  const type: MessageType = trace.v1.ExportTraceServiceResponse;
  return type.toObject(type.decode(bytes), { longs: String });
}

/** A message as protobuf, from its JSON form. */
export function encoded(type: MessageType, message: Fields): Uint8Array<ArrayBuffer> {
  const made: Message = type.fromObject(withBytes(message));
  return new Uint8Array(type.encode(made).finish());
}

const IDS = new Set(["traceId", "spanId", "parentSpanId", "profileId"]);

/** OTLP's JSON has ids in hex, where protobuf's JSON form has bytes in base64. */
function withBytes(value: Fields): Fields {
  if (Array.isArray(value)) return value.map(withBytes);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [
      name,
      IDS.has(name) && typeof each === "string" ? Uint8Array.fromHex(each) : withBytes(each),
    ]),
  );
}
