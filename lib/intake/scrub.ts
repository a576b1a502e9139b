import { FILTERED, hideSecrets, isCardNumber, isSecretName } from "./secrets.ts";
import type { Json, JsonObject } from "./sentry/json.ts";
import type {
  Exception,
  Frame,
  NormalizedEvent,
  Pair,
  RequestInfo,
  Stacktrace,
  Thread,
} from "./sentry/normalized_event.ts";

/** Fields that hold identifiers and versions of the client's software, or numbers of ours. */
const HARMLESS_FIELDS = new Set([
  "event_id",
  "type",
  "timestamp",
  "received",
  "platform",
  "level",
  "release",
  "dist",
  "environment",
  "fingerprint",
  "modules",
  "sdk",
  "debug_meta",
  "_received",
]);

/** Fields of a frame that hold the program's own text, which is no place to look for data. */
const CODE_FIELDS = new Set([
  "function",
  "raw_function",
  "symbol",
  "module",
  "package",
  "filename",
  "abs_path",
  "pre_context",
  "context_line",
  "post_context",
  "platform",
  "instruction_addr",
]);

/** Walked by themselves. */
const STACK_FIELDS = new Set(["stacktrace", "raw_stacktrace"]);

/** Card numbers have 13 digits or more; most numbers are spared the search. */
const MIN_CARD = 1e12;

const NOTHING_SKIPPED: ReadonlySet<string> = new Set();

/**
 * Takes secrets out of an event, in place, before it becomes text: by name (passwords, tokens, cookies …)
 * and by looks (card numbers, private keys, passwords in addresses). `[Filtered]` stands where they were.
 */
export function scrubEvent(event: NormalizedEvent): void {
  const { exception, threads, stacktrace, template, request, tags, contexts, ...rest } = event;
  for (const one of exception?.values ?? []) scrubWithStacks(one);
  for (const one of threads?.values ?? []) scrubWithStacks(one);
  if (stacktrace !== undefined) scrubStack(stacktrace);
  if (template !== undefined) scrubObject(asJson(template), false, CODE_FIELDS);
  if (request !== undefined) scrubRequest(request);
  if (tags !== undefined) scrubPairs(tags, false);
  // The name of a context is the name of a subject, such as `session`, not of a value.
  for (const context of Object.values(contexts ?? {})) scrubObject(context, false);
  for (const field in rest) {
    if (!HARMLESS_FIELDS.has(field)) scrubField(asJson(event), field, false);
  }
}

function scrubWithStacks(one: Exception | Thread): void {
  if (one.stacktrace !== undefined) scrubStack(one.stacktrace);
  if (one.raw_stacktrace !== undefined) scrubStack(one.raw_stacktrace);
  scrubObject(asJson(one), false, STACK_FIELDS);
}

function scrubStack({ frames }: Stacktrace): void {
  for (const frame of frames) scrubObject(asJson(frame), false, CODE_FIELDS);
}

function scrubRequest(request: RequestInfo): void {
  const { headers, query_string, cookies, ...rest } = request;
  if (headers !== undefined) scrubPairs(headers, false);
  if (query_string !== undefined) scrubPairs(query_string, false);
  // Which cookie holds the session is known to the application only.
  if (cookies !== undefined) scrubPairs(cookies, true);
  for (const field in rest) scrubField(asJson(request), field, false);
}

function scrubPairs(pairs: Pair[], hideAll: boolean): void {
  for (const pair of pairs) {
    pair[1] = hideAll || isSecretName(pair[0]) ? FILTERED : hideSecrets(pair[1]);
  }
}

function scrubObject(
  object: JsonObject,
  hideAll: boolean,
  skipped = NOTHING_SKIPPED,
): void {
  for (const name in object) {
    if (!skipped.has(name)) scrubField(object, name, hideAll || isSecretName(name));
  }
}

function scrubArray(array: Json[], hideAll: boolean): void {
  for (let i = 0; i < array.length; i++) {
    const value = array[i];
    if (value !== undefined) array[i] = scrubbed(value, hideAll);
  }
}

function scrubField(object: JsonObject, name: string, hideAll: boolean): void {
  const value = object[name];
  if (value === undefined) return;
  const result = scrubbed(value, hideAll);
  if (result !== value) object[name] = result;
}

/** `value` without secrets; containers, which the parser keeps shallow, are edited in place. */
function scrubbed(value: Json, hideAll: boolean): Json {
  switch (typeof value) {
    case "string":
      return hideAll && value !== "" ? FILTERED : hideSecrets(value);
    case "number":
      return hideAll || (value >= MIN_CARD && isCardNumber(String(value))) ? FILTERED : value;
    case "object":
      if (value === null) return value;
      if (Array.isArray(value)) scrubArray(value, hideAll);
      else scrubObject(value, hideAll);
      return value;
    default:
      // Whether there is a password is no secret.
      return value;
  }
}

/** The declared shapes are JSON objects as well; their types only say more. */
function asJson(value: NormalizedEvent | Exception | Thread | Frame | RequestInfo): JsonObject {
  return value as unknown as JsonObject;
}
