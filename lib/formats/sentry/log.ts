import type { LogLevel, LogRecord } from "../../records/mod.ts";
import { attributesJson, readAttributes, textIn } from "../attributes.ts";
import { clip, clippedName, type Raw, readText } from "../fields.ts";
import { readSpanId, readTraceId } from "../ids.ts";
import { exactTimeOf, idIn, type ItemContext, type ItemDecoder } from "./item_decoder.ts";
import { TEXT } from "../limits.ts";
import { decodeContainer, filterOf } from "./container.ts";

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
export const decodeLogs: ItemDecoder = (item, context) =>
  decodeContainer(item, {
    category: "log_item",
    invalid: "invalid_log",
    read: (element, index) => readLog(element, index, context),
  }, context);

function readLog(element: Raw, index: number, context: ItemContext): LogRecord | string | null {
  const body = readText(element.body);
  if (body === undefined || element.timestamp === undefined) return null;
  const attributes = readAttributes(element.attributes);
  const release = clippedName(textIn(attributes, "sentry.release"), TEXT.name) ?? "";
  const unwanted = filterOf(release, context);
  if (unwanted !== null) return unwanted;
  context.policy.scrubObject(attributes);
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
    environment: clippedName(textIn(attributes, "sentry.environment"), TEXT.word) ?? "",
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
