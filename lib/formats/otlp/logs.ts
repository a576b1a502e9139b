import type { Batch, LogRecord } from "../../records/mod.ts";
import type { DecodeContext } from "../../ingest/protocol.ts";
import type { JsonObject } from "../json.ts";
import { ErrorCollector } from "./collector.ts";
import { logException } from "./sent_exception.ts";
import { bodyOf, levelOf, type LogPlace, logTracePlace, NANOS_PER_MS, toLogRecord } from "./log.ts";
import type { OtlpLog, ResourceGroup } from "./model.ts";
import { OutcomeTally } from "../outcome_tally.ts";
import { senderOf } from "./sender.ts";
import { secondsOf } from "./text.ts";
import { isInWindow } from "./time_window.ts";

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
