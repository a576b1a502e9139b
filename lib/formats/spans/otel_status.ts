import type { SpanKind } from "../../records/mod.ts";
import { isFailedStatus } from "../../records/span_status.ts";
import { numberIn, textIn } from "../attributes.ts";
import type { JsonObject } from "../json.ts";
import { statusWord, wordOfGrpc, wordOfHttp } from "./status_words.ts";

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
