import { DAY_MS } from "../../core/time.ts";
import type { LogLevel, LogRecord, Outcome } from "../../records/mod.ts";
import {
  asObject,
  attributesJson,
  clip,
  clippedName,
  type Raw,
  readText,
  textIn,
} from "../fields.ts";
import { readSpanId, readTraceId } from "../ids.ts";
import { type JsonObject, put } from "../json.ts";
import { TEXT } from "../limits.ts";
import {
  exactTimeOf,
  idIn,
  type ItemContext,
  type ItemDecoder,
  ItemError,
  jsonOf,
  readContainer,
  readElementFacts,
  refuseFiltered,
} from "./item_decoder.ts";

const LEVELS: Readonly<Record<string, LogLevel>> = {
  trace: "trace",
  debug: "debug",
  info: "info",
  log: "info",
  notice: "info",
  warn: "warn",
  warning: "warn",
  error: "error",
  err: "error",
  critical: "fatal",
  fatal: "fatal",
};

const MAX_ATTRIBUTES_LENGTH = 16_384;

/** The container of structured logs, `application/vnd.sentry.items.log+json`. */
export const decodeLogs: ItemDecoder = (item, context) => {
  const { elements, outcomes } = readContainer(item, {
    category: "log_item",
    invalid: "invalid_log",
    read: (element, index) => readLog(element, index, context),
  }, context);
  return { records: elements, outcomes };
};

function readLog(element: Raw, index: number, context: ItemContext): LogRecord | string | null {
  const body = readText(element.body);
  if (body === undefined || element.timestamp === undefined) return null;
  const facts = readElementFacts(element, context);
  if (typeof facts === "string") return facts;
  const { attributes, release, environment } = facts;
  const sdk = [textIn(attributes, "sentry.sdk.name"), textIn(attributes, "sentry.sdk.version")];
  return {
    kind: "log",
    logId: idIn(context, index),
    ...exactTimeOf(element.timestamp, context),
    place: index,
    receivedAt: context.receivedAt,
    level: levelOf(element),
    body: clip(context.policy.scrubText(body.slice(0, 2 * TEXT.message)), TEXT.message),
    traceId: readTraceId(element.trace_id) ?? null,
    spanId: readSpanId(element.span_id) ??
      readSpanId(attributes["sentry.trace.parent_span_id"]) ?? null,
    environment,
    release,
    logger: clippedName(textIn(attributes, "logger.name"), TEXT.name) ?? "",
    server: clippedName(textIn(attributes, "server.address", "host.name"), TEXT.name) ?? "",
    sdk: sdk.filter((part) => part !== "").join("/"),
    attributes: attributesJson(attributes, MAX_ATTRIBUTES_LENGTH),
  };
}

/** The word, else the number of OpenTelemetry's scale: 1 to 24, four to a level. */
function levelOf({ level, severity_number: number }: Raw): LogLevel {
  const word = readText(level)?.toLowerCase() ?? "";
  const known = Object.hasOwn(LEVELS, word) ? LEVELS[word] : undefined;
  if (known !== undefined) return known;
  const scale: readonly LogLevel[] = ["trace", "debug", "info", "warn", "error", "fatal"];
  return typeof number === "number" ? scale[Math.floor((number - 1) / 4)] ?? "info" : "info";
}

const MAX_REPORTS = 200;

/** Reports of browsers about failed requests (Network Error Logging), one or a list of them, as log records. */
export const decodeNel: ItemDecoder = (item, context) => {
  const sent = jsonOf(item);
  refuseFiltered("", context);
  const list = Array.isArray(sent)
    ? sent.slice(0, context.work.takeElements(Math.min(sent.length, MAX_REPORTS)))
    : [sent];
  const records = list.flatMap((each, index) => {
    const raw = asObject(each);
    const body = asObject(raw?.body);
    return raw?.type === "network-error" && body !== undefined
      ? [logOf(raw, body, index, context)]
      : [];
  });
  if (records.length === 0) throw new ItemError("invalid", "no_nel_report");
  const invalid = list.length - records.length;
  const outcomes: Outcome[] = invalid === 0
    ? []
    : [{ category: "log_item", kind: "invalid", reason: "no_nel_report", quantity: invalid }];
  return { records, outcomes };
};

function logOf(raw: Raw, body: Raw, index: number, context: ItemContext): LogRecord {
  const type = clippedName(body.type, TEXT.word) ?? "unknown";
  const url = clip(readText(raw.url) ?? "", TEXT.url).toWellFormed();
  const attributes: JsonObject = { "nel.url": url };
  for (const [name, value] of Object.entries(body).slice(0, 50)) {
    const text = typeof value === "object" ? undefined : readText(value);
    if (text !== undefined) put(attributes, `nel.${clippedName(name, TEXT.word)}`, text);
  }
  const agent = readText(raw.user_agent) ?? context.userAgent;
  if (agent) put(attributes, "user_agent.original", agent.slice(0, TEXT.line).toWellFormed());
  context.policy.scrubObject(attributes);
  // How long the report waited in the browser, in milliseconds.
  const age = typeof raw.age === "number" && raw.age >= 0 ? Math.min(raw.age, DAY_MS) : 0;
  return {
    kind: "log",
    logId: idIn(context, `nel ${index}`),
    timestamp: new Date(context.receivedAt.getTime() - age),
    nanos: 0,
    place: index,
    receivedAt: context.receivedAt,
    level: type === "ok" ? "info" : "error",
    body: context.policy.scrubText(`${type} ${url}`),
    logger: "nel",
    server: clippedName(body.server_ip, TEXT.word) ?? "",
    sdk: "",
    environment: "",
    release: "",
    traceId: null,
    spanId: null,
    attributes: attributesJson(attributes, MAX_ATTRIBUTES_LENGTH),
  };
}
