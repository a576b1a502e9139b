import { readText } from "./fields.ts";

const EVENT_ID = /^[0-9a-f]{32}$/;
const SPAN_ID = /^[0-9a-f]{16}$/;
const ALL_ZERO = /^0*$/;

/** 32 lower-case hex digits out of an id in any case, with or without hyphens; undefined for anything else. */
export function readEventId(value: unknown): string | undefined {
  return readId(value, EVENT_ID);
}

/** Trace ids have the form of event ids. */
export const readTraceId = readEventId;

/** 16 lower-case hex digits, or undefined. */
export function readSpanId(value: unknown): string | undefined {
  return readId(value, SPAN_ID);
}

/** A random id: 32 lower-case hex digits. */
export function newEventId(): string {
  return crypto.randomUUID().split("-").join("");
}

function readId(value: unknown, form: RegExp): string | undefined {
  const text = readText(value);
  if (text === undefined || text.length > 64) return undefined;
  const id = text.trim().split("-").join("").toLowerCase();
  return form.test(id) && !ALL_ZERO.test(id) ? id : undefined;
}
