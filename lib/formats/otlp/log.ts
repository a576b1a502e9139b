import { LOG_LEVELS, type LogLevel, type LogRecord } from "../../records/mod.ts";
import type { DecodeContext } from "../../ingest/protocol.ts";
import { recordId } from "../record_id.ts";
import { attributesJson } from "../attributes.ts";
import { clip, clippedName } from "../fields.ts";
import type { Json, JsonObject } from "../json.ts";
import { TEXT } from "../limits.ts";
import { nearestKept } from "../clock.ts";
import { flattened, placeAttributes } from "./log_attributes.ts";
import type { OtlpLog, Scope } from "./model.ts";
import type { OtlpSender } from "./sender.ts";
import { isSpanId, isTraceId } from "./span_checks.ts";

/** Characters of a log's attributes as JSON. */
const MAX_ATTRIBUTES_LENGTH = 16_384;

/** What a log record's surroundings say of it. */
export interface LogPlace {
  readonly sender: OtlpSender;
  readonly resource: JsonObject;
  readonly scope: Scope<unknown>;
  /** Its number in the request. */
  readonly index: number;
  /** Since 1970, in seconds and exactly. */
  readonly time: number;
  readonly nanos: bigint;
}

/** Makes the record that is stored. The attributes of `sent` lose their secrets in place. */
export function toLogRecord(sent: OtlpLog, place: LogPlace, context: DecodeContext): LogRecord {
  const { policy, requestId, receivedAt } = context;
  const { sender, resource, scope, index } = place;
  const attributes: JsonObject = {
    ...placeAttributes(resource),
    ...flattened(sent.attributes),
    ...(sent.eventName !== "" && { "event.name": sent.eventName }),
    ...(sent.droppedAttributes > 0 && { "otel.dropped_attributes_count": sent.droppedAttributes }),
  };
  policy.scrubObject(attributes);
  return {
    kind: "log",
    logId: recordId(requestId, "otlp_log", index),
    ...keptTime(place, context),
    place: index,
    receivedAt,
    level: levelOf(sent),
    body: clip(policy.scrubText(bodyOf(sent).slice(0, 2 * TEXT.message)), TEXT.message),
    ...logTracePlace(sent),
    environment: sender.environment,
    release: sender.release,
    logger: clippedName(scope.name, TEXT.name) ?? "",
    server: sender.server,
    sdk: sender.sdk,
    attributes: attributesJson(attributes, MAX_ATTRIBUTES_LENGTH),
  };
}

export const NANOS_PER_MS = 1_000_000n;

/** The time as sent, or the nearest that is kept. */
function keptTime(
  { time, nanos }: LogPlace,
  context: DecodeContext,
): Pick<LogRecord, "timestamp" | "nanos"> {
  const kept = nearestKept(time, context);
  if (kept !== time) return { timestamp: new Date(kept * 1000), nanos: 0 };
  return {
    timestamp: new Date(Number(nanos / NANOS_PER_MS)),
    nanos: Number(nanos % NANOS_PER_MS),
  };
}

/** Ids that are wrong belong to no trace, which is no reason to lose the log. */
export function logTracePlace({ traceId, spanId }: OtlpLog) {
  const isPlaced = isTraceId(traceId);
  return {
    traceId: isPlaced ? traceId : null,
    spanId: isPlaced && isSpanId(spanId) ? spanId : null,
  };
}

/** What a log says: its body, as JSON where it is no text; else the exception or the event that it tells of. */
export function bodyOf({ body, attributes, eventName }: OtlpLog): string {
  const text = typeof body === "string" ? body : textOfValue(body);
  if (text !== "") return text;
  const parts = [attributes["exception.type"], attributes["exception.message"]];
  return parts.map(textOfValue).filter((part) => part !== "").join(": ") || eventName;
}

function textOfValue(value: Json | undefined): string {
  if (value === null || value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}

const SEVERITY_WORDS: readonly (readonly [words: RegExp, level: LogLevel])[] = [
  [/^(?:fatal|crit|emerg|panic|alert)/i, "fatal"],
  [/^err/i, "error"],
  [/^warn/i, "warn"],
  [/^(?:info|notice|log)/i, "info"],
  [/^debug/i, "debug"],
  [/^trace/i, "trace"],
];

/** By the number, four to a level, else by the word; `info` when neither says. */
export function levelOf({ severity, severityText }: OtlpLog): LogLevel {
  const level = LOG_LEVELS[Math.floor((severity - 1) / 4)];
  const word = severityText.trim();
  return level ?? SEVERITY_WORDS.find(([words]) => words.test(word))?.[1] ?? "info";
}
