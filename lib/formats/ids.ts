import { createHash } from "node:crypto";
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

/**
 * An id for a record that brings none: the same again when the same request is stored a second time, so that
 * replays store nothing twice.
 *
 * @param requestId `DecodeContext.requestId`
 * @param parts what tells the records of one request apart, such as `log` and an index
 * @returns 32 lower-case hex digits
 */
export function recordId(requestId: string, ...parts: readonly (string | number)[]): string {
  return createHash("md5").update([requestId, ...parts].join("/")).digest("hex");
}

type BlobKind = "attachments" | "profiles";

/**
 * Where the bytes of a record live in the object store: `attachments/7/2026-11-20/<id>`. The day lets what is left
 * behind be found by its age; the id makes a replay overwrite its own bytes.
 *
 * @param time one that is kept as long as the record
 */
export function blobKey(kind: BlobKind, projectId: string, time: Date, id: string): string {
  return `${kind}/${projectId}/${time.toISOString().slice(0, 10)}/${id}`;
}
