import { textIn } from "../attributes.ts";
import { readBoolean } from "../fields.ts";
import type { JsonObject } from "../json.ts";
import type { OtlpLog, OtlpSpan } from "./model.ts";

/** An exception as OpenTelemetry's conventions have it. Type and message are not both empty. */
export interface SentException {
  readonly type: string;
  readonly message: string;
  /** In the form of its language, or `""`. */
  readonly stack: string;
  /** It left the span that it was thrown in. */
  readonly isEscaped: boolean;
  /** In seconds since 1970. */
  readonly time: number;
  /** What was said beside. */
  readonly details: JsonObject;
}

const EVENT_NAME = "exception";
const PREFIX = "exception.";

/** The exceptions of a span: those of its events, and the one in its own attributes, where Deno puts it. */
export function spanExceptions({ events, attributes, end }: OtlpSpan): SentException[] {
  const found: SentException[] = [];
  for (const event of events) {
    if (event.name !== EVENT_NAME) continue;
    const exception = readException(event.attributes, event.time || end, true);
    if (exception !== null) found.push(exception);
  }
  // What else is among these belongs to the span.
  const own = readException(attributes, end, false);
  return own === null ? found : [...found, own];
}

/** The exception that a log record tells of, or null. @param time of the record, in seconds since 1970 */
export function logException({ attributes }: OtlpLog, time: number): SentException | null {
  return readException(attributes, time, true);
}

function readException(
  attributes: JsonObject,
  time: number,
  hasDetails: boolean,
): SentException | null {
  const type = textIn(attributes, "exception.type");
  const message = textIn(attributes, "exception.message");
  if (type === "" && message === "") return null;
  return {
    type,
    message,
    stack: textIn(attributes, "exception.stacktrace"),
    isEscaped: readBoolean(attributes["exception.escaped"]) ?? false,
    time,
    details: hasDetails ? withoutException(attributes) : {},
  };
}

function withoutException(attributes: JsonObject): JsonObject {
  const others = Object.entries(attributes).filter(([name]) => !name.startsWith(PREFIX));
  return Object.fromEntries(others);
}
