import assert from "node:assert/strict";
import { type ErrorContext, toErrorEvent } from "@/lib/formats/sentry/error_event.ts";
import { parseJsonText } from "@/lib/formats/json.ts";
import { type EventContext, normalizeEvent } from "@/lib/formats/sentry/normalize.ts";
import type { NormalizedEvent } from "@/lib/formats/sentry/normalized_event.ts";
import type { ErrorEvent } from "@/lib/records/mod.ts";

export const RECEIVED_AT = new Date("2026-11-21T00:20:00Z");

const defaults = { receivedAt: RECEIVED_AT, sentAt: null, retentionDays: 90 };

/** The event as it is stored, without what normalising left undefined. */
export function normalized(sent: unknown, context: Partial<EventContext> = {}): NormalizedEvent {
  const result = normalizeEvent(parseJsonText(JSON.stringify(sent)), { ...defaults, ...context });
  assert.ok("event" in result);
  return JSON.parse(JSON.stringify(result.event));
}

/** The record made of an event. */
export function recorded(sent: unknown, context: Partial<ErrorContext> = {}): ErrorEvent {
  const record = toErrorEvent(parseJsonText(JSON.stringify(sent)), { ...defaults, ...context });
  assert.ok("kind" in record);
  return record;
}
