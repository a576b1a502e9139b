import { PbfWriter } from "pbf";

/** An OTLP message in its JSON form, as exporters write it. */
// deno-lint-ignore no-explicit-any
type Message = any;
type Write = (message: Message, writer: PbfWriter) => void;

/** An export request as protobuf, from its JSON form. */
export function tracesToProtobuf(request: Message): Uint8Array<ArrayBuffer> {
  return encode((writer) => list(writer, 1, request.resourceSpans, resourceSpans));
}

/** The same for logs. */
export function logsToProtobuf(request: Message): Uint8Array<ArrayBuffer> {
  return encode((writer) => list(writer, 1, request.resourceLogs, resourceLogs));
}

/** The same for metrics. */
export function metricsToProtobuf(request: Message): Uint8Array<ArrayBuffer> {
  return encode((writer) => list(writer, 1, request.resourceMetrics, resourceMetrics));
}

function encode(write: (writer: PbfWriter) => void): Uint8Array<ArrayBuffer> {
  const writer = new PbfWriter();
  write(writer);
  return new Uint8Array(writer.finish());
}

function list(writer: PbfWriter, field: number, messages: Message[] = [], write: Write): void {
  for (const message of messages) writer.writeMessage(field, write, message);
}

function one(writer: PbfWriter, field: number, message: Message, write: Write): void {
  if (message !== undefined) writer.writeMessage(field, write, message);
}

function text(writer: PbfWriter, field: number, value?: string): void {
  // Not `writeStringField()`, which gets characters from U+20000 on wrong.
  if (value !== undefined) writer.writeBytesField(field, new TextEncoder().encode(value));
}

function uint(writer: PbfWriter, field: number, value?: number): void {
  if (value !== undefined) writer.writeVarintField(field, value);
}

function nanos(writer: PbfWriter, field: number, value?: string): void {
  if (value === undefined) return;
  const number = BigInt(value);
  writer.writeTag(field, 1);
  writer.writeFixed32(Number(number & 0xffffffffn));
  writer.writeFixed32(Number(number >> 32n));
}

function id(writer: PbfWriter, field: number, hex?: string): void {
  if (hex !== undefined) writer.writeBytesField(field, Uint8Array.fromHex(hex));
}

const resourceSpans: Write = (message, writer) => {
  one(writer, 1, message.resource, resource);
  list(writer, 2, message.scopeSpans, (scope, inner) => {
    one(inner, 1, scope.scope, instrumentation);
    list(inner, 2, scope.spans, span);
  });
};

const resourceLogs: Write = (message, writer) => {
  one(writer, 1, message.resource, resource);
  list(writer, 2, message.scopeLogs, (scope, inner) => {
    one(inner, 1, scope.scope, instrumentation);
    list(inner, 2, scope.logRecords, logRecord);
  });
};

const resource: Write = (message, writer) => {
  list(writer, 1, message.attributes, keyValue);
  uint(writer, 2, message.droppedAttributesCount);
};

const instrumentation: Write = (message, writer) => {
  text(writer, 1, message.name);
  text(writer, 2, message.version);
  list(writer, 3, message.attributes, keyValue);
};

const span: Write = (message, writer) => {
  id(writer, 1, message.traceId);
  id(writer, 2, message.spanId);
  text(writer, 3, message.traceState);
  id(writer, 4, message.parentSpanId);
  text(writer, 5, message.name);
  uint(writer, 6, message.kind);
  nanos(writer, 7, message.startTimeUnixNano);
  nanos(writer, 8, message.endTimeUnixNano);
  list(writer, 9, message.attributes, keyValue);
  uint(writer, 10, message.droppedAttributesCount);
  list(writer, 11, message.events, (event, inner) => {
    nanos(inner, 1, event.timeUnixNano);
    text(inner, 2, event.name);
    list(inner, 3, event.attributes, keyValue);
    uint(inner, 4, event.droppedAttributesCount);
  });
  uint(writer, 12, message.droppedEventsCount);
  list(writer, 13, message.links, (link, inner) => {
    id(inner, 1, link.traceId);
    id(inner, 2, link.spanId);
    text(inner, 3, link.traceState);
    list(inner, 4, link.attributes, keyValue);
  });
  uint(writer, 14, message.droppedLinksCount);
  one(writer, 15, message.status, (status, inner) => {
    text(inner, 2, status.message);
    uint(inner, 3, status.code);
  });
  if (message.flags !== undefined) writer.writeFixed32Field(16, message.flags);
};

const logRecord: Write = (message, writer) => {
  nanos(writer, 1, message.timeUnixNano);
  uint(writer, 2, message.severityNumber);
  text(writer, 3, message.severityText);
  one(writer, 5, message.body, anyValue);
  list(writer, 6, message.attributes, keyValue);
  uint(writer, 7, message.droppedAttributesCount);
  if (message.flags !== undefined) writer.writeFixed32Field(8, message.flags);
  id(writer, 9, message.traceId);
  id(writer, 10, message.spanId);
  nanos(writer, 11, message.observedTimeUnixNano);
  text(writer, 12, message.eventName);
};

const keyValue: Write = (message, writer) => {
  text(writer, 1, message.key);
  one(writer, 2, message.value, anyValue);
};

const anyValue: Write = (value, writer) => {
  if (value.stringValue !== undefined) text(writer, 1, value.stringValue);
  if (value.boolValue !== undefined) uint(writer, 2, Number(value.boolValue));
  if (value.intValue !== undefined) int64(writer, 3, BigInt(value.intValue));
  if (value.doubleValue !== undefined) writer.writeDoubleField(4, Number(value.doubleValue));
  one(writer, 5, value.arrayValue, (array, inner) => list(inner, 1, array.values, anyValue));
  one(writer, 6, value.kvlistValue, (map, inner) => list(inner, 1, map.values, keyValue));
  if (value.bytesValue !== undefined) {
    writer.writeBytesField(7, Uint8Array.fromBase64(value.bytesValue));
  }
};

/** `writeVarint()` of pbf loses what a double does not hold. */
function int64(writer: PbfWriter, field: number, value: bigint): void {
  writer.writeTag(field, 0);
  let rest = BigInt.asUintN(64, value);
  for (; rest > 0x7fn; rest >>= 7n) byte(writer, Number(rest & 0x7fn) | 0x80);
  byte(writer, Number(rest));
}

function byte(writer: PbfWriter, value: number): void {
  writer.realloc(1);
  writer.buf[writer.pos++] = value;
}

const resourceMetrics: Write = (message, writer) => {
  one(writer, 1, message.resource, resource);
  list(writer, 2, message.scopeMetrics, (scope, inner) => {
    one(inner, 1, scope.scope, instrumentation);
    list(inner, 2, scope.metrics, metric);
  });
};

const metric: Write = (message, writer) => {
  text(writer, 1, message.name);
  text(writer, 2, message.description);
  text(writer, 3, message.unit);
  one(writer, 5, message.gauge, data(numberPoint));
  one(writer, 7, message.sum, data(numberPoint));
  one(writer, 9, message.histogram, data(histogramPoint));
  one(writer, 10, message.exponentialHistogram, data(exponentialPoint));
  one(writer, 11, message.summary, data(summaryPoint));
};

const data = (point: Write): Write => (message, writer) => {
  list(writer, 1, message.dataPoints, point);
  uint(writer, 2, message.aggregationTemporality);
  if (message.isMonotonic !== undefined) uint(writer, 3, Number(message.isMonotonic));
};

const numberPoint: Write = (message, writer) => {
  nanos(writer, 2, message.startTimeUnixNano);
  nanos(writer, 3, message.timeUnixNano);
  double(writer, 4, message.asDouble);
  list(writer, 5, message.exemplars, exemplar);
  sfixed64(writer, 6, message.asInt);
  list(writer, 7, message.attributes, keyValue);
  uint(writer, 8, message.flags);
};

const histogramPoint: Write = (message, writer) => {
  nanos(writer, 2, message.startTimeUnixNano);
  nanos(writer, 3, message.timeUnixNano);
  sfixed64(writer, 4, message.count);
  double(writer, 5, message.sum);
  packed(writer, 6, message.bucketCounts, sfixed64Value);
  packed(writer, 7, message.explicitBounds, (value, inner) => inner.writeDouble(Number(value)));
  list(writer, 8, message.exemplars, exemplar);
  list(writer, 9, message.attributes, keyValue);
  uint(writer, 10, message.flags);
  double(writer, 11, message.min);
  double(writer, 12, message.max);
};

const exponentialPoint: Write = (message, writer) => {
  list(writer, 1, message.attributes, keyValue);
  nanos(writer, 2, message.startTimeUnixNano);
  nanos(writer, 3, message.timeUnixNano);
  sfixed64(writer, 4, message.count);
  double(writer, 5, message.sum);
  if (message.scale !== undefined) writer.writeSVarintField(6, message.scale);
  sfixed64(writer, 7, message.zeroCount);
  one(writer, 8, message.positive, buckets);
  one(writer, 9, message.negative, buckets);
  uint(writer, 10, message.flags);
  list(writer, 11, message.exemplars, exemplar);
  double(writer, 12, message.min);
  double(writer, 13, message.max);
  double(writer, 14, message.zeroThreshold);
};

const buckets: Write = (message, writer) => {
  if (message.offset !== undefined) writer.writeSVarintField(1, message.offset);
  packed(writer, 2, message.bucketCounts, (value, inner) => inner.writeVarint(Number(value)));
};

const summaryPoint: Write = (message, writer) => {
  nanos(writer, 2, message.startTimeUnixNano);
  nanos(writer, 3, message.timeUnixNano);
  sfixed64(writer, 4, message.count);
  double(writer, 5, message.sum);
  list(writer, 6, message.quantileValues, (value, inner) => {
    double(inner, 1, value.quantile);
    double(inner, 2, value.value);
  });
  list(writer, 7, message.attributes, keyValue);
  uint(writer, 8, message.flags);
};

const exemplar: Write = (message, writer) => {
  nanos(writer, 2, message.timeUnixNano);
  double(writer, 3, message.asDouble);
  id(writer, 4, message.spanId);
  id(writer, 5, message.traceId);
  sfixed64(writer, 6, message.asInt);
  list(writer, 7, message.filteredAttributes, keyValue);
};

function double(writer: PbfWriter, field: number, value?: number | string): void {
  if (value !== undefined) writer.writeDoubleField(field, Number(value));
}

function sfixed64(writer: PbfWriter, field: number, value?: number | string): void {
  if (value === undefined) return;
  writer.writeTag(field, 1);
  sfixed64Value(value, writer);
}

function sfixed64Value(value: number | string, writer: PbfWriter): void {
  const bits = BigInt.asUintN(64, BigInt(value));
  writer.writeFixed32(Number(bits & 0xffffffffn));
  writer.writeFixed32(Number(bits >> 32n));
}

function packed(
  writer: PbfWriter,
  field: number,
  values: (number | string)[] = [],
  write: (value: number | string, writer: PbfWriter) => void,
): void {
  if (values.length === 0) return;
  writer.writeMessage(field, (_, inner) => {
    for (const value of values) write(value, inner);
  }, null);
}
