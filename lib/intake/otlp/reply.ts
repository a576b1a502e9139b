import { CORS_HEADERS } from "../sentry/cors.ts";
import type { Refusal } from "../refusal.ts";

/** Codes of `google.rpc.Code` by HTTP status. */
const RPC_CODES: Readonly<Record<number, number>> = {
  400: 3,
  401: 16,
  403: 7,
  404: 5,
  405: 12,
  413: 8,
  415: 3,
  429: 8,
  501: 12,
  503: 14,
};
const UNKNOWN = 2;

/** A refusal as OTLP has it: a `google.rpc.Status` in the encoding of the request, JSON or protobuf. */
export function refusedOtlp({ status, detail, headers }: Refusal, req: Request): Response {
  const code = RPC_CODES[status] ?? UNKNOWN;
  const isJson = req.headers.get("content-type")?.startsWith("application/json") ?? false;
  const body = isJson ? JSON.stringify({ code, message: detail }) : encodeStatus(code, detail);
  return new Response(body, {
    status,
    headers: {
      ...CORS_HEADERS,
      "content-type": isJson ? "application/json" : "application/x-protobuf",
      ...headers,
    },
  });
}

/** `message Status { int32 code = 1; string message = 2; }` on the wire. */
function encodeStatus(code: number, message: string): Uint8Array<ArrayBuffer> {
  const text = new TextEncoder().encode(message);
  return new Uint8Array([0x08, code, 0x12, ...varint(text.length), ...text]);
}

function varint(value: number): number[] {
  const bytes: number[] = [];
  for (; value > 0x7f; value >>>= 7) bytes.push((value & 0x7f) | 0x80);
  return [...bytes, value];
}
