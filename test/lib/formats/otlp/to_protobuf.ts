import { parse } from "protobufjs";
import { encoded } from "./otlp_to_protobuf.ts";

/**
 * The messages of profiles, with their numbers since OTLP 1.10: OpenTelemetry's SDK has none of them yet. Places in tables
 * are as wide as the wire allows, so that tests can send some that lead nowhere.
 */
const { root } = parse(`
syntax = "proto3";

message Request { repeated ResourceProfiles resourceProfiles = 1; Dictionary dictionary = 2; }
message ResourceProfiles { Resource resource = 1; repeated ScopeProfiles scopeProfiles = 2; }
message ScopeProfiles { Scope scope = 1; repeated Profile profiles = 2; }
message Resource { repeated KeyValue attributes = 1; }
message Scope { string name = 1; repeated KeyValue attributes = 3; }

message Profile {
  ValueType sampleType = 1;
  repeated Sample samples = 2;
  fixed64 timeUnixNano = 3;
  uint64 durationNano = 4;
  ValueType periodType = 5;
  int64 period = 6;
  bytes profileId = 7;
  string originalPayloadFormat = 9;
  bytes originalPayload = 10;
  repeated int64 attributeIndices = 11;
}
message ValueType { int64 typeStrindex = 1; int64 unitStrindex = 2; }
message Sample {
  int64 stackIndex = 1;
  repeated int64 attributeIndices = 2;
  int64 linkIndex = 3;
  repeated int64 values = 4;
  repeated fixed64 timestampsUnixNano = 5;
}

message Dictionary {
  repeated Mapping mappingTable = 1;
  repeated Location locationTable = 2;
  repeated Function functionTable = 3;
  repeated Link linkTable = 4;
  repeated string stringTable = 5;
  repeated KeyValueAndUnit attributeTable = 6;
  repeated Stack stackTable = 7;
}
message Mapping {
  uint64 memoryStart = 1;
  uint64 memoryLimit = 2;
  uint64 fileOffset = 3;
  int64 filenameStrindex = 4;
  repeated int64 attributeIndices = 5;
}
message Location {
  int64 mappingIndex = 1;
  uint64 address = 2;
  repeated Line lines = 3;
  repeated int64 attributeIndices = 4;
}
message Line { int64 functionIndex = 1; int64 line = 2; int64 column = 3; }
message Function {
  int64 nameStrindex = 1;
  int64 systemNameStrindex = 2;
  int64 filenameStrindex = 3;
  int64 startLine = 4;
}
message Link { bytes traceId = 1; bytes spanId = 2; }
message Stack { repeated int64 locationIndices = 1; }
message KeyValueAndUnit { int64 keyStrindex = 1; AnyValue value = 2; int64 unitStrindex = 3; }

message KeyValue { string key = 1; AnyValue value = 2; int64 keyStrindex = 3; }
message AnyValue {
  oneof value {
    string stringValue = 1;
    bool boolValue = 2;
    int64 intValue = 3;
    double doubleValue = 4;
    ArrayValue arrayValue = 5;
    int64 stringValueStrindex = 8;
  }
}
message ArrayValue { repeated AnyValue values = 1; }
`);
const REQUEST = root.lookupType("Request");

/** An export request of profiles as protobuf, from its JSON form; the dictionary last, as on the wire. */
export function profilesToProtobuf(request: unknown): Uint8Array<ArrayBuffer> {
  return encoded(REQUEST, request);
}

/** What protobufjs reads of such a request, by these definitions. */
export function profilesIn(bytes: Uint8Array): Record<string, unknown> {
  return REQUEST.toObject(REQUEST.decode(bytes), { longs: String, bytes: String });
}
