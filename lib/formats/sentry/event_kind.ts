import type { NormalizedEvent } from "./normalized_event.ts";

/**
 * Whether the event is a message, though it may carry exceptions: JS SDKs since 11 attach the stack of
 * `captureMessage()` as an exception that is synthetic and has no type.
 */
export function isMessage(event: NormalizedEvent): boolean {
  if (!event.exception) return event.logentry !== undefined;
  return event.logentry !== undefined &&
    event.exception.values.every(({ type, mechanism }) => !type && mechanism?.synthetic === true);
}
