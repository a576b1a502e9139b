import { unreadable, unsupportedType } from "./refusals.ts";

/** The forms that OTLP has over HTTP. */
export type Encoding = "protobuf" | "json";

const ENCODINGS: ReadonlyMap<string, Encoding> = new Map([
  ["application/x-protobuf", "protobuf"],
  // Not OTLP's own names, but there is no doubt about what they mean.
  ["application/protobuf", "protobuf"],
  ["application/vnd.google.protobuf", "protobuf"],
  ["application/json", "json"],
]);

/** `Content-Type` of answers: without parameters, since exporters compare it as it is. */
export const MEDIA_TYPES: Readonly<Record<Encoding, string>> = {
  protobuf: "application/x-protobuf",
  json: "application/json",
};

/**
 * The form that a `Content-Type` names, or null for every other one.
 *
 * @param contentType the header as sent, parameters and all; `""` when there is none
 */
export function encodingOf(contentType: string): Encoding | null {
  const [mediaType = ""] = contentType.split(";", 1);
  return ENCODINGS.get(mediaType.trim().toLowerCase()) ?? null;
}

const OPEN_BRACE = 0x7b;

/**
 * The form that a request is in.
 *
 * @param body decompressed
 * @param contentType of the request, as sent
 * @throws {Refusal} 415 for another content type, 400 for JSON that calls itself protobuf
 */
export function bodyEncoding(body: Uint8Array, contentType: string): Encoding {
  const encoding = encodingOf(contentType);
  if (encoding === null) throw unsupportedType();
  // The first byte of JSON is no field of any message.
  if (encoding === "protobuf" && body[0] === OPEN_BRACE) {
    throw unreadable("protobuf", "it looks like JSON");
  }
  return encoding;
}
