import { LIMITS } from "./limits.ts";
import { newLog, type OtlpLog } from "./model.ts";
import { readAttribute, readValue } from "./proto_any_value.ts";
import type { OtlpReader } from "./reader.ts";

/** Reads a `LogRecord`. @throws {Refusal} 400 or 413 */
export function readLog(reader: OtlpReader): OtlpLog {
  return reader.message(logField, newLog());
}

function logField(field: number, log: OtlpLog, reader: OtlpReader): void {
  switch (field) {
    case 1:
      log.time = reader.fixedNanos();
      break;
    case 2:
      log.severity = reader.uint();
      break;
    case 3:
      log.severityText = reader.text(LIMITS.name);
      break;
    case 5:
      log.body = readValue(reader);
      break;
    case 6:
      readAttribute(log, reader);
      break;
    case 7:
      log.droppedAttributes += reader.uint();
      break;
    case 9:
      log.traceId = reader.id();
      break;
    case 10:
      log.spanId = reader.id();
      break;
    case 11:
      log.observedTime = reader.fixedNanos();
      break;
    case 12:
      log.eventName = reader.text(LIMITS.name);
  }
}
