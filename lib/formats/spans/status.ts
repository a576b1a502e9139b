import type { SpanKind } from "../../records/mod.ts";
import { isFailedStatus } from "../../records/span_rules.ts";
import { numberIn, readInteger, textIn } from "../fields.ts";
import type { JsonObject } from "../json.ts";

/** What a gRPC server answers with when it is the one that failed. */
const GRPC_SERVER_ERRORS: ReadonlySet<string> = new Set([
  "unknown",
  "deadline_exceeded",
  "unimplemented",
  "internal_error",
  "unavailable",
  "data_loss",
]);

/**
 * The status of a span that knows only "unset" (0), "ok" (1) and "error" (2), in Sentry's words.
 *
 * @param attributes with their current names
 * @returns `""` when nothing says how it ended; an error is named after its HTTP or gRPC code, else `internal_error`
 */
export function otelStatus(code: 0 | 1 | 2, kind: SpanKind, attributes: JsonObject): string {
  if (code === 1) return "ok";
  return code === 2 || looksFailed(kind, attributes) ? errorWord(attributes) : "";
}

function looksFailed(kind: SpanKind, attributes: JsonObject): boolean {
  if (textIn(attributes, "error.type") !== "" || textIn(attributes, "exception.type") !== "") {
    return true;
  }
  const http = numberIn(attributes, "http.response.status_code") ?? 0;
  if (http >= (kind === "client" ? 400 : 500)) return true;
  const grpc = wordOfGrpc(attributes["rpc.status_code"]) ?? "ok";
  return kind === "client" ? grpc !== "ok" : GRPC_SERVER_ERRORS.has(grpc);
}

/** The word for what went wrong: one that counts as a failure, unless somebody gave up waiting. */
function errorWord(attributes: JsonObject): string {
  const http = numberIn(attributes, "http.response.status_code");
  const word = http !== null ? wordOfHttp(http) : wordOfGrpc(attributes["rpc.status_code"]);
  return word === "cancelled" || (word !== undefined && isFailedStatus(word))
    ? word
    : "internal_error";
}

/**
 * The status of a span of Sentry's SDKs in Sentry's words: streamed spans know `ok` and `error` only, others bring a
 * word, a gRPC code or a text of their own.
 */
export function sentryStatus(sent: string, attributes: JsonObject): string {
  return sent === "error" ? errorWord(attributes) : statusWord(sent);
}

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
function wordOfHttp(code: number): string {
  if (code < 400) return "ok";
  return OF_HTTP.get(code) ?? (code < 500 ? "invalid_argument" : "internal_error");
}

/** Sentry's word for a gRPC code, as `4`, `"4"` or `"DEADLINE_EXCEEDED"`; undefined for anything else. */
function wordOfGrpc(code: unknown): string | undefined {
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
function statusWord(sent: string): string {
  return wordOfGrpc(sent) ?? sent;
}
