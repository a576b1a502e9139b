import { bodyEncoding } from "./encoding.ts";
import { JSON_LOGS } from "./json_logs.ts";
import { type JsonSignal, readGroups as readJson } from "./resources.ts";
import { JSON_SPANS } from "./json_spans.ts";
import type { OtlpLog, OtlpSpan, ResourceGroup } from "./model.ts";
import { refuseFloods } from "./count.ts";
import { readLog } from "./proto_logs.ts";
import { refuseDamaged } from "./reader.ts";
import { type ItemReader, readGroups as readProtobuf } from "./proto_resources.ts";
import { readSpan } from "./proto_spans.ts";

/**
 * Reads an `ExportTraceServiceRequest`.
 *
 * @param body decompressed
 * @param contentType of the request, as sent
 * @throws {Refusal} 415 for another content type, 413 for too many spans or parts, 400 for what is no such request
 */
export function decodeTraces(body: Uint8Array, contentType: string): ResourceGroup<OtlpSpan>[] {
  return decodeGroups(body, contentType, { protobuf: readSpan, json: JSON_SPANS });
}

/** Reads an `ExportLogsServiceRequest`. Parameters and what it throws are as of {@linkcode decodeTraces}. */
export function decodeLogs(body: Uint8Array, contentType: string): ResourceGroup<OtlpLog>[] {
  return decodeGroups(body, contentType, { protobuf: readLog, json: JSON_LOGS });
}

interface Readers<T> {
  readonly protobuf: ItemReader<T>;
  readonly json: JsonSignal<T>;
}

function decodeGroups<T>(
  body: Uint8Array,
  contentType: string,
  { protobuf, json }: Readers<T>,
): ResourceGroup<T>[] {
  if (bodyEncoding(body, contentType) === "json") return readJson(body, json);
  return refuseDamaged(() => {
    refuseFloods(body, json.what);
    return readProtobuf(body, protobuf);
  });
}
