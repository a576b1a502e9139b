/** `google.rpc.Status`, and what else OTLP answers with, in both encodings. */
import type { Encoding } from "../../formats/otlp/encoding.ts";

/** Codes of `google.rpc.Code` by HTTP status, as OTLP has them. */
const RPC_CODES: Readonly<Record<number, number>> = {
  400: 3,
  401: 16,
  403: 7,
  404: 12,
  405: 12,
  408: 4,
  413: 8,
  415: 3,
  429: 8,
  500: 13,
  501: 12,
  502: 14,
  503: 14,
  504: 4,
};
const UNKNOWN = 2;

const BAD_REQUEST = "type.googleapis.com/google.rpc.BadRequest";

type Body = Uint8Array<ArrayBuffer> | string;

/** The body of a refusal. @param message a sentence @param status of HTTP */
export function rpcStatus(status: number, message: string, encoding: Encoding): Body {
  const code = RPC_CODES[status] ?? UNKNOWN;
  const isBadRequest = status === 400;
  if (encoding === "json") {
    const details = [{ "@type": BAD_REQUEST, fieldViolations: [{ description: message }] }];
    return JSON.stringify({ code, message, ...(isBadRequest && { details }) });
  }
  const violation = delimited(1, delimited(2, utf8(message)));
  const details = [...delimited(1, utf8(BAD_REQUEST)), ...delimited(2, violation)];
  return new Uint8Array([
    ...number(1, code),
    ...delimited(2, utf8(message)),
    ...(isBadRequest ? delimited(3, details) : []),
  ]);
}

/** What was not taken of a request that was. */
export interface PartialSuccess {
  /** In lowerCamelCase, as `rejectedSpans`. */
  readonly field: string;
  readonly rejected: number;
  /** Sentences, or `""`. */
  readonly message: string;
}

/** The body of an answer to a request that was taken: empty when all of it was. */
export function exportResponse(
  { field, rejected, message }: PartialSuccess,
  encoding: Encoding,
): Body {
  const isWhole = rejected === 0 && message === "";
  if (encoding === "json") {
    const count = rejected > 0 ? { [field]: String(rejected) } : {};
    return isWhole ? "{}" : JSON.stringify({ partialSuccess: { ...count, errorMessage: message } });
  }
  if (isWhole) return new Uint8Array();
  const count = rejected > 0 ? number(1, rejected) : [];
  return new Uint8Array(delimited(1, [...count, ...delimited(2, utf8(message))]));
}

const encoder = new TextEncoder();

function utf8(text: string): number[] {
  return [...encoder.encode(text)];
}

/** A field that is a text or a message. */
function delimited(field: number, bytes: readonly number[]): number[] {
  return [field << 3 | 2, ...varint(bytes.length), ...bytes];
}

/** A field that is a number. */
function number(field: number, value: number): number[] {
  return [field << 3, ...varint(value)];
}

function varint(value: number): number[] {
  const bytes: number[] = [];
  for (; value > 0x7f; value >>>= 7) bytes.push((value & 0x7f) | 0x80);
  return [...bytes, value];
}
