import { readInteger } from "../fields.ts";

/** Sentry's words for the codes of gRPC, which they come from, by code. */
const GRPC_WORDS = [
  "ok",
  "cancelled",
  "unknown",
  "invalid_argument",
  "deadline_exceeded",
  "not_found",
  "already_exists",
  "permission_denied",
  "resource_exhausted",
  "failed_precondition",
  "aborted",
  "out_of_range",
  "unimplemented",
  "internal_error",
  "unavailable",
  "data_loss",
  "unauthenticated",
] as const;

const WORDS: ReadonlySet<string> = new Set(GRPC_WORDS);

const ALIASES: ReadonlyMap<string, string> = new Map([
  ["internal", "internal_error"],
  ["unknown_error", "unknown"],
  ["canceled", "cancelled"],
]);

const OF_HTTP: ReadonlyMap<number, string> = new Map([
  [400, "invalid_argument"],
  [401, "unauthenticated"],
  [403, "permission_denied"],
  [404, "not_found"],
  [409, "already_exists"],
  [413, "failed_precondition"],
  [429, "resource_exhausted"],
  [499, "cancelled"],
  [501, "unimplemented"],
  [503, "unavailable"],
  [504, "deadline_exceeded"],
]);

/** Sentry's word for an HTTP status code of 100 to 599. */
export function wordOfHttp(code: number): string {
  if (code < 400) return "ok";
  return OF_HTTP.get(code) ?? (code < 500 ? "invalid_argument" : "internal_error");
}

/** Sentry's word for a gRPC code, as `4`, `"4"` or `"DEADLINE_EXCEEDED"`; undefined for anything else. */
export function wordOfGrpc(code: unknown): string | undefined {
  const number = readInteger(code);
  if (number !== undefined) return GRPC_WORDS[number];
  const word = typeof code === "string" ? code.toLowerCase() : "";
  return ALIASES.get(word) ?? (WORDS.has(word) ? word : undefined);
}

/** The name of a gRPC code as OpenTelemetry writes it, as `DEADLINE_EXCEEDED` for 4; undefined for no code. */
export function grpcCodeName(code: unknown): string | undefined {
  const word = wordOfGrpc(code);
  return word === "internal_error" ? "INTERNAL" : word?.toUpperCase();
}

/**
 * A status in Sentry's words, out of what its SDKs send: a word, one of its other spellings, or a gRPC code. Free text
 * is returned as it is.
 */
export function statusWord(sent: string): string {
  return wordOfGrpc(sent) ?? sent;
}
