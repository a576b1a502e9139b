import type { Raw } from "../fields.ts";
import { LIMITS } from "./limits.ts";
import { newLog, type OtlpLog } from "./model.ts";
import { readAttributes, valueOf } from "./any_value.ts";
import { enumOf, field, idOf, nanosOf, textOf } from "./fields.ts";
import type { JsonSignal } from "./resources.ts";

/** Names of the 24 severities, by their numbers: `TRACE`, `TRACE2` … `FATAL4`. */
const SEVERITIES = [
  "UNSPECIFIED",
  ...["TRACE", "DEBUG", "INFO", "WARN", "ERROR", "FATAL"].flatMap((name) =>
    ["", "2", "3", "4"].map((step) => name + step)
  ),
];

/** Where log records are in an export request. */
export const JSON_LOGS: JsonSignal<OtlpLog> = {
  what: "logs",
  groups: "resourceLogs",
  scopes: "scopeLogs",
  items: "logRecords",
  readItem: readLog,
};

function readLog(raw: Raw): OtlpLog {
  const log = newLog();
  log.time = nanosOf(field(raw, "timeUnixNano"));
  log.observedTime = nanosOf(field(raw, "observedTimeUnixNano"));
  log.severity = enumOf(field(raw, "severityNumber"), "SEVERITY_NUMBER_", SEVERITIES);
  log.severityText = textOf(field(raw, "severityText"), LIMITS.name);
  log.body = valueOf(raw.body);
  log.traceId = idOf(field(raw, "traceId"), 16);
  log.spanId = idOf(field(raw, "spanId"), 8);
  log.eventName = textOf(field(raw, "eventName"), LIMITS.name);
  readAttributes(log, raw);
  return log;
}
