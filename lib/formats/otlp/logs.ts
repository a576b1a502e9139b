import type { DecodeContext } from "../decode_context.ts";
import { type Batch, LOG_LEVELS, type LogLevel, type LogRecord } from "../../records/mod.ts";
import { isInWindow, nearestKept } from "../event_time.ts";
import { attributesJson, clip, clippedName } from "../fields.ts";
import { recordId } from "../ids.ts";
import type { Json, JsonObject } from "../json.ts";
import { TEXT } from "../limits.ts";
import { OutcomeTally } from "../outcome_tally.ts";
import { ErrorCollector, logException } from "./exceptions.ts";
import {
  isSpanId,
  isTraceId,
  type OtlpLog,
  type ResourceGroup,
  type Scope,
  secondsOf,
} from "./model.ts";
import { flattened, type OtlpSender, placeAttributes, senderOf } from "./resource_attributes.ts";

/**
 * Makes the records of an export request: its logs, and an error for every exception that they tell of.
 *
 * @param groups what the request holds, whose attributes are taken over and changed in place
 */
export function logBatch(groups: readonly ResourceGroup<OtlpLog>[], context: DecodeContext): Batch {
  const tally = new OutcomeTally();
  const errors = new ErrorCollector(context, tally);
  const logs: LogRecord[] = [];
  let index = 0;
  for (const group of groups) {
    const sender = senderOf(group.attributes);
    const resource: JsonObject = { ...group.attributes };
    context.policy.scrubObject(resource);
    const unwanted = context.policy.filterOther(sender.release, context);
    for (const scope of group.scopes) {
      if (unwanted !== null) tally.add("log_item", "filtered", unwanted, scope.items.length);
      else {
        for (const log of scope.items) {
          const place = { sender, resource, scope, index: index++, ...timeOf(log, context) };
          const record = readLog(log, place, { context, errors, tally });
          if (record !== null) logs.push(record);
        }
      }
    }
  }
  return { records: [...logs, ...errors.records], outcomes: tally.outcomes, eventId: null };
}

interface Surroundings {
  readonly context: DecodeContext;
  readonly errors: ErrorCollector;
  readonly tally: OutcomeTally;
}

function readLog(
  log: OtlpLog,
  place: LogPlace,
  { context, errors, tally }: Surroundings,
): LogRecord | null {
  const fault = faultOf(log, place, context);
  if (fault !== null) {
    tally.add("log_item", "invalid", fault);
    return null;
  }
  const exception = logException(log, place.time);
  if (exception !== null) {
    const { sender, resource, scope } = place;
    const { traceId, spanId } = logTracePlace(log);
    errors.add(exception, {
      sender,
      resource,
      level: levelOf(log) === "fatal" ? "fatal" : "error",
      traceId: traceId ?? "",
      spanId: spanId ?? "",
      transaction: "",
      logger: scope.name,
      message: log.body === null ? "" : bodyOf(log),
    });
  }
  return toLogRecord(log, place, context);
}

/** Why a log record is rejected, or null. */
function faultOf(log: OtlpLog, { time }: LogPlace, context: DecodeContext): string | null {
  if (!isInWindow(time, context)) return "bad_time";
  const isEmpty = bodyOf(log) === "" && log.attributeCount === 0;
  return isEmpty ? "empty_log" : null;
}

function timeOf({ time, observedTime }: OtlpLog, { receivedAt }: DecodeContext) {
  const nanos = time || observedTime || BigInt(receivedAt.getTime()) * NANOS_PER_MS;
  return { nanos, time: secondsOf(Number(nanos)) };
}

/** Characters of a log's attributes as JSON. */
const MAX_ATTRIBUTES_LENGTH = 16_384;

/** What a log record's surroundings say of it. */
interface LogPlace {
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
function toLogRecord(sent: OtlpLog, place: LogPlace, context: DecodeContext): LogRecord {
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

const NANOS_PER_MS = 1_000_000n;

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
function logTracePlace({ traceId, spanId }: OtlpLog) {
  const isPlaced = isTraceId(traceId);
  return {
    traceId: isPlaced ? traceId : null,
    spanId: isPlaced && isSpanId(spanId) ? spanId : null,
  };
}

/** What a log says: its body, as JSON where it is no text; else the exception or the event that it tells of. */
function bodyOf({ body, attributes, eventName }: OtlpLog): string {
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
function levelOf({ severity, severityText }: OtlpLog): LogLevel {
  const level = LOG_LEVELS[Math.floor((severity - 1) / 4)];
  const word = severityText.trim();
  return level ?? SEVERITY_WORDS.find(([words]) => words.test(word))?.[1] ?? "info";
}
