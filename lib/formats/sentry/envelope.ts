import { readTime } from "../event_time.ts";
import { asObject, readText } from "../fields.ts";
import { readEventId } from "../ids.ts";
import { type JsonObject, parseJson } from "../json.ts";

/** The request body is no envelope: not even one item could be read. Answered with 400. */
export class EnvelopeError extends Error {
  override name = "EnvelopeError";
}

export interface EnvelopeHeader {
  /** 32 lower-case hex digits; wins over the id in the payload. */
  readonly eventId: string | null;
  /** A whole DSN, as `parseDsn()` reads it: where clients behind a tunnel carry their key. */
  readonly dsn: string | null;
  /** The client's clock when it sent. */
  readonly sentAt: Date | null;
  readonly sdk: JsonObject | null;
  /** The dynamic sampling context. */
  readonly trace: JsonObject | null;
}

export interface Item {
  /** As `event`; never empty. */
  readonly type: string;
  readonly header: JsonObject;
  /** A view into the request body, not a copy. */
  readonly payload: Uint8Array;
}

export interface Envelope {
  readonly header: EnvelopeHeader;
  readonly items: readonly Item[];
  /** Frames that could not be read. */
  readonly lost: number;
}

/** Real envelopes hold a handful of items; what follows counts as one lost frame. */
const MAX_FRAMES = 1_000;

/** Real headers have a few hundred bytes; 16 MB of brackets would take a second to parse. */
const MAX_HEADER_BYTES = 100_000;
/** Of all items together: a thousand of them have 250 each. */
const MAX_ITEM_HEADERS_BYTES = 250_000;

const NEWLINE = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];

/**
 * Splits an envelope into its items, on bytes: `header "\n" { item_header "\n" payload "\n" }`, where the item
 * header's `length` counts the payload's bytes and a payload without one ends at the next newline.
 *
 * More lenient than Sentry: a byte order mark, blank lines and `\r\n` are skipped; a `length` that does not end
 * at a newline (clients that count characters) is ignored if the payload is one line of JSON; and a broken frame
 * costs only itself and what follows, not the items before it.
 *
 * @throws {EnvelopeError} when the header is no JSON object, or there were frames and none was readable
 */
export function parseEnvelope(bytes: Uint8Array): Envelope {
  const headerLine = lineAt(bytes, afterBlankLines(bytes, afterByteOrderMark(bytes)));
  if (headerLine.bytes.length === 0) throw new EnvelopeError("Envelope is empty");
  const header = objectFrom(headerLine.bytes);
  if (!header) throw new EnvelopeError("Envelope header is not a JSON object");

  const { items, lost } = readItems(bytes, headerLine.next);
  if (items.length === 0 && lost > 0) throw new EnvelopeError("Envelope has no readable item");
  return { header: readHeader(header), items, lost };
}

function readHeader(header: JsonObject): EnvelopeHeader {
  const sentAt = readTime(header.sent_at);
  return {
    eventId: readEventId(header.event_id) ?? null,
    dsn: readText(header.dsn) ?? null,
    sentAt: sentAt === undefined ? null : new Date(sentAt * 1000),
    sdk: objectOrNull(header.sdk),
    trace: objectOrNull(header.trace),
  };
}

function readItems(bytes: Uint8Array, start: number): { items: Item[]; lost: number } {
  const items: Item[] = [];
  let lost = 0;
  for (const { header, payload } of framesIn(bytes, start)) {
    if (items.length + lost === MAX_FRAMES) return { items, lost: lost + 1 };
    if (!header || !payload) return { items, lost: lost + 1 };
    const type = readText(header.type);
    if (type) items.push({ type, header, payload: payload.bytes });
    else lost++;
  }
  return { items, lost };
}

/** An item header and what follows it. */
export interface Frame {
  /** Where the header begins, and the payload. */
  readonly at: number;
  readonly payloadAt: number;
  /** Undefined for what is no JSON object. */
  readonly header: JsonObject | undefined;
  /** Undefined or null when it cannot be told where the payload ends. */
  readonly payload: Piece | null | undefined;
}

/** The frames of an envelope one by one, up to the first that cannot be read. @param start after the envelope's header */
export function* framesIn(bytes: Uint8Array, start: number): Generator<Frame> {
  let at = afterBlankLines(bytes, start);
  let headerBytes = 0;
  while (at < bytes.length) {
    const line = lineAt(bytes, at);
    headerBytes += line.bytes.length;
    const header = headerBytes > MAX_ITEM_HEADERS_BYTES ? undefined : objectFrom(line.bytes);
    const payload = header && payloadAt(bytes, line.next, header.length);
    yield { at, payloadAt: line.next, header, payload };
    if (!payload) return;
    at = afterBlankLines(bytes, payload.next);
  }
}

/** Where the first item begins; beyond the end when there is none. */
export function firstFrameAt(bytes: Uint8Array): number {
  return lineAt(bytes, afterBlankLines(bytes, afterByteOrderMark(bytes))).next;
}

export interface Piece {
  readonly bytes: Uint8Array;
  /** Where the next line begins. */
  readonly next: number;
}

function payloadAt(bytes: Uint8Array, start: number, length: unknown): Piece | null {
  const line = lineAt(bytes, start);
  if (typeof length !== "number" || !Number.isSafeInteger(length) || length < 0) return line;
  const end = start + length;
  if (end === bytes.length || bytes[end] === NEWLINE) {
    return { bytes: bytes.subarray(start, end), next: end + 1 };
  }
  if (bytes[end] === CARRIAGE_RETURN && bytes[end + 1] === NEWLINE) {
    return { bytes: bytes.subarray(start, end), next: end + 2 };
  }
  return looksLikeJson(line.bytes) ? line : null;
}

function lineAt(bytes: Uint8Array, start: number): Piece {
  const newline = bytes.indexOf(NEWLINE, start);
  const end = newline < 0 ? bytes.length : newline;
  return { bytes: bytes.subarray(start, end), next: end + 1 };
}

function afterByteOrderMark(bytes: Uint8Array): number {
  return BYTE_ORDER_MARK.every((byte, i) => bytes[i] === byte) ? BYTE_ORDER_MARK.length : 0;
}

function afterBlankLines(bytes: Uint8Array, start: number): number {
  let at = start;
  while (bytes[at] === NEWLINE || (bytes[at] === CARRIAGE_RETURN && bytes[at + 1] === NEWLINE)) {
    at++;
  }
  return at;
}

function looksLikeJson(line: Uint8Array): boolean {
  let end = line.length - 1;
  if (line[end] === CARRIAGE_RETURN) end--;
  const brackets = String.fromCharCode(line[0] ?? 0, line[end] ?? 0);
  return brackets === "{}" || brackets === "[]";
}

function objectFrom(line: Uint8Array): JsonObject | undefined {
  if (line.length > MAX_HEADER_BYTES) return undefined;
  try {
    return asObject(parseJson(line)) as JsonObject | undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function objectOrNull(value: unknown): JsonObject | null {
  return (asObject(value) as JsonObject | undefined) ?? null;
}
