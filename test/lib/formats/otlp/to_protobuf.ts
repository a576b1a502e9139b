import { PbfWriter } from "pbf";

/** An OTLP message in its JSON form, as exporters write it. */
// deno-lint-ignore no-explicit-any
type Message = any;
type Write = (message: Message, writer: PbfWriter) => void;

/** An export request of profiles as protobuf, from its JSON form; the dictionary last, as on the wire. */
export function profilesToProtobuf(request: Message): Uint8Array<ArrayBuffer> {
  const writer = new PbfWriter();
  list(writer, 1, request.resourceProfiles, (group, inner) => {
    one(inner, 1, group.resource, (resource, at) => list(at, 1, resource.attributes, keyValue));
    list(inner, 2, group.scopeProfiles, (scope, at) => {
      one(at, 1, scope.scope, (sent, to) => {
        text(to, 1, sent.name);
        list(to, 3, sent.attributes, keyValue);
      });
      list(at, 2, scope.profiles, profile);
    });
  });
  one(writer, 2, request.dictionary, dictionary);
  return new Uint8Array(writer.finish());
}

const profile: Write = (message, writer) => {
  one(writer, 1, message.sampleType, valueType);
  list(writer, 2, message.samples, sample);
  fixed64(writer, 3, message.timeUnixNano);
  uint64(writer, 4, message.durationNano);
  one(writer, 5, message.periodType, valueType);
  uint64(writer, 6, message.period);
  if (message.profileId !== undefined) {
    writer.writeBytesField(7, Uint8Array.fromHex(message.profileId));
  }
  text(writer, 9, message.originalPayloadFormat);
  if (message.originalPayload !== undefined) {
    writer.writeBytesField(10, Uint8Array.fromBase64(message.originalPayload));
  }
  places(writer, 11, message.attributeIndices);
};

const sample: Write = (message, writer) => {
  uint64(writer, 1, message.stackIndex);
  places(writer, 2, message.attributeIndices);
  uint64(writer, 3, message.linkIndex);
  if (message.values !== undefined) {
    writer.writeMessage(4, (values: string[], inner) => {
      for (const value of values) varint(inner, BigInt(value));
    }, message.values);
  }
  if (message.timestampsUnixNano !== undefined) {
    writer.writeMessage(5, (times: string[], inner) => {
      for (const time of times) halves(inner, BigInt(time));
    }, message.timestampsUnixNano);
  }
};

const dictionary: Write = (message, writer) => {
  list(writer, 1, message.mappingTable, (row, inner) => {
    uint64(inner, 1, row.memoryStart);
    uint64(inner, 2, row.memoryLimit);
    uint64(inner, 3, row.fileOffset);
    uint64(inner, 4, row.filenameStrindex);
    places(inner, 5, row.attributeIndices);
  });
  list(writer, 2, message.locationTable, (row, inner) => {
    uint64(inner, 1, row.mappingIndex);
    uint64(inner, 2, row.address);
    list(inner, 3, row.lines, (line, at) => {
      uint64(at, 1, line.functionIndex);
      uint64(at, 2, line.line);
      uint64(at, 3, line.column);
    });
    places(inner, 4, row.attributeIndices);
  });
  list(writer, 3, message.functionTable, (row, inner) => {
    uint64(inner, 1, row.nameStrindex);
    uint64(inner, 2, row.systemNameStrindex);
    uint64(inner, 3, row.filenameStrindex);
    uint64(inner, 4, row.startLine);
  });
  list(writer, 4, message.linkTable, (row, inner) => {
    if (row.traceId) inner.writeBytesField(1, Uint8Array.fromHex(row.traceId));
    if (row.spanId) inner.writeBytesField(2, Uint8Array.fromHex(row.spanId));
  });
  for (const entry of message.stringTable ?? []) text(writer, 5, entry);
  list(writer, 6, message.attributeTable, (row, inner) => {
    uint64(inner, 1, row.keyStrindex);
    one(inner, 2, row.value, anyValue);
    uint64(inner, 3, row.unitStrindex);
  });
  list(writer, 7, message.stackTable, (row, inner) => places(inner, 1, row.locationIndices));
};

const keyValue: Write = (message, writer) => {
  text(writer, 1, message.key);
  one(writer, 2, message.value, anyValue);
  uint64(writer, 3, message.keyStrindex);
};

const anyValue: Write = (message, writer) => {
  text(writer, 1, message.stringValue);
  if (message.boolValue !== undefined) writer.writeBooleanField(2, message.boolValue);
  uint64(writer, 3, message.intValue);
  if (message.doubleValue !== undefined) writer.writeDoubleField(4, message.doubleValue);
  one(writer, 5, message.arrayValue, (array, inner) => list(inner, 1, array.values, anyValue));
  uint64(writer, 8, message.stringValueStrindex);
};

const valueType: Write = (message, writer) => {
  uint64(writer, 1, message.typeStrindex);
  uint64(writer, 2, message.unitStrindex);
};

function list(writer: PbfWriter, field: number, messages: Message[] = [], write: Write): void {
  for (const message of messages) writer.writeMessage(field, write, message);
}

function one(writer: PbfWriter, field: number, message: Message, write: Write): void {
  if (message !== undefined) writer.writeMessage(field, write, message);
}

function text(writer: PbfWriter, field: number, value?: string): void {
  if (value !== undefined) writer.writeBytesField(field, new TextEncoder().encode(value));
}

function places(writer: PbfWriter, field: number, list?: number[]): void {
  if (list !== undefined) writer.writePackedVarint(field, list);
}

function uint64(writer: PbfWriter, field: number, value?: string | number): void {
  if (value === undefined) return;
  writer.writeTag(field, 0);
  varint(writer, BigInt(value));
}

function fixed64(writer: PbfWriter, field: number, value?: string): void {
  if (value === undefined) return;
  writer.writeTag(field, 1);
  halves(writer, BigInt(value));
}

function varint(writer: PbfWriter, value: bigint): void {
  writer.realloc(10);
  let rest = BigInt.asUintN(64, value);
  for (; rest > 0x7fn; rest >>= 7n) writer.buf[writer.pos++] = Number(rest & 0x7fn) | 0x80;
  writer.buf[writer.pos++] = Number(rest);
}

function halves(writer: PbfWriter, value: bigint): void {
  writer.writeFixed32(Number(value & 0xffffffffn));
  writer.writeFixed32(Number(value >> 32n));
}
