import { Buffer } from "node:buffer";
import { isPublicKey, KEY_TYPES } from "../../accounts/keys.ts";
import { decodedLimit, joinBytes } from "../../core/read_body.ts";
import { Refusal } from "../../core/refusal.ts";
import type { DecodeContext } from "../../formats/decode_context.ts";
import { asObject, type Raw, readInteger, readText } from "../../formats/fields.ts";
import { type Json, parseJson, put } from "../../formats/json.ts";
import {
  type Envelope,
  EnvelopeError,
  firstFrameAt,
  type Frame,
  framesIn,
  parseEnvelope,
} from "../../formats/sentry/envelope.ts";
import { categoryOf, decodeItems, decodeSingleItem } from "../../formats/sentry/items.ts";
import type { Batch } from "../../records/mod.ts";
import {
  type Credentials,
  credentialsInDsn,
  credentialsInHead,
  decodePercent,
  refuseOtherKey,
} from "../identify.ts";
import { inflate } from "../inflate.ts";
import type { Protocol } from "../protocol.ts";
import type { WholePart } from "../receive.ts";
import { accepted, CORS_HEADERS, refused } from "./sentry_reply.ts";

/** `POST /api/<project>/envelope/`: how every current Sentry SDK sends everything. */
export const sentryEnvelope: Protocol = {
  name: "sentry_envelope",
  category: "unknown",
  keyTypes: KEY_TYPES,
  credentials: credentialsInHead,
  credentialsInBody,
  findWhole: wholeItems,
  decode,
  reply: accepted,
  refuse: refused,
};

/** An envelope that cannot be read has no key either: that answer is more useful than "unreadable". */
function credentialsInBody(body: Uint8Array): Credentials | null {
  try {
    return credentialsInDsn(parseEnvelope(body).header.dsn);
  } catch (error) {
    if (error instanceof EnvelopeError) return null;
    throw error;
  }
}

function decode(body: Uint8Array, context: DecodeContext): Batch {
  const envelope = readEnvelope(body);
  refuseOtherKey(envelope.header.dsn, context.publicKey);
  return decodeItems(envelope, context);
}

function readEnvelope(body: Uint8Array): Envelope {
  try {
    return parseEnvelope(body);
  } catch (error) {
    if (!(error instanceof EnvelopeError)) throw error;
    throw new Refusal(400, `Cannot read the envelope: ${error.message}`, {
      kind: "invalid",
      reason: "unreadable_envelope",
    });
  }
}

/** Items whose payload is `{"items": […]}`, of which the elements before a cut are whole. */
const CONTAINERS = new Set(["log", "span", "trace_metric"]);
/** More elements than this in one item are a lie that would spoil the counts. */
const MAX_ELEMENTS = 10_000;

const encoder = new TextEncoder();

/**
 * Tells what is whole of an envelope that was cut off: the items before the cut and, of a container of logs, spans or
 * metrics that is cut itself, the elements before it.
 *
 * @param start the first bytes of an envelope
 */
export function wholeItems(start: Uint8Array): WholePart | null {
  const first = firstFrameAt(start);
  let whole = 0;
  for (const frame of framesIn(start, first)) {
    if (isWhole(frame, start.length)) whole++;
    else return beforeCut(start, frame, whole);
  }
  // Cut between two items, or broken: nobody knows what followed.
  if (whole === 0) return null;
  return { bytes: start, lost: { category: "unknown", quantity: 1 } };
}

/** A payload of a known length may be the last of what is there; one that ends at a newline may not. */
function isWhole({ header, payload, payloadAt }: Frame, end: number): boolean {
  if (!header || !payload) return false;
  const length = readInteger(header.length);
  return length === undefined ? payload.next <= end : payloadAt + length <= end;
}

function beforeCut(
  start: Uint8Array,
  { at, header, payloadAt }: Frame,
  whole: number,
): WholePart | null {
  const type = readText(header?.type) ?? "";
  const sent = Math.min(Math.max(readInteger(header?.item_count) ?? 1, 1), MAX_ELEMENTS);
  const elements = CONTAINERS.has(type) ? wholeElements(start.subarray(payloadAt)) : null;
  const kept = elements?.count ?? 0;
  if (whole + kept === 0) return null;
  const lost = { category: categoryOf(type), quantity: Math.max(sent - kept, 1) };
  const before = start.subarray(0, at);
  if (elements === null || kept === 0) return { bytes: before, lost };
  const { length: _, ...rest } = header ?? {};
  const line = encoder.encode(`${JSON.stringify({ ...rest, item_count: kept })}\n`);
  return { bytes: joinBytes([before, line, elements.payload]), lost };
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
/** Of the elements of a list that stands in the payload's object. */
const IN_LIST = 2;

/** The elements that are whole of a container's JSON, closed behind the last of them; null when there are none. */
function wholeElements(json: Uint8Array): { payload: Uint8Array; count: number } | null {
  let depth = 0;
  let count = 0;
  let end = 0;
  let isText = false;
  for (let i = 0; i < json.length; i++) {
    const byte = json[i];
    if (isText) {
      if (byte === BACKSLASH) i++;
      else if (byte === QUOTE) isText = false;
    } else if (byte === QUOTE) isText = true;
    else if (byte === OPEN_BRACE) depth++;
    else if (byte === OPEN_BRACKET) {
      // A list beside that of the elements, such as there may be before it.
      if (++depth === IN_LIST) count = 0;
    } else if (byte === CLOSE_BRACKET) depth--;
    else if (byte === CLOSE_BRACE && --depth === IN_LIST) {
      count++;
      end = i + 1;
    }
  }
  if (count === 0) return null;
  return { payload: joinBytes([json.subarray(0, end), encoder.encode("]}")]), count };
}

/**
 * A body that is one item without an envelope around it.
 *
 * @param refusal what its sender is told when nothing of it can be read
 * @throws {Refusal} 400 then
 */
function decodeOnly(
  type: string,
  payload: Uint8Array,
  context: DecodeContext,
  refusal: string,
): Batch {
  const batch = decodeSingleItem(type, payload, context);
  const [dropped] = batch.outcomes;
  if (batch.records.length > 0 || dropped?.kind !== "invalid") return batch;
  throw new Refusal(400, refusal, dropped);
}

/** `POST /api/<project>/store/`: one event, as SDKs sent it before 2020 and hand-made clients still do. */
export const sentryStore: Protocol = {
  name: "sentry_store",
  category: "error",
  keyTypes: KEY_TYPES,
  credentials: credentialsInHead,
  decode: decodeStored,
  reply: accepted,
  refuse: refused,
};

/** 1×1 and transparent. */
const PIXEL = Buffer.from("R0lGODlhAQABAIAAAAAAAAAAACH5BAEAAAAALAAAAAABAAEAAAICRAEAOw==", "base64");

/** `GET /api/<project>/store/?sentry_data=…`: the oldest browser SDK loaded an image. */
export const sentryPixel: Protocol = {
  ...sentryStore,
  reply: () => new Response(PIXEL, { headers: { ...CORS_HEADERS, "content-type": "image/gif" } }),
};

/** An event alone is an envelope with one item: the rest is the same. */
function decodeStored(body: Uint8Array, context: DecodeContext): Batch {
  const payload = eventIn(body, context.maxEventBytes);
  return decodeOnly("event", payload, context, "The body is not an event in JSON");
}

/** The event's JSON out of the forms in which old clients send it: plain, in a form field, base64 of zlib. */
function eventIn(body: Uint8Array, maxBytes: number): Uint8Array {
  // Too large in any form: taking it apart would only cost time.
  if (body.length > MAX_FORM_FACTOR * maxBytes) return body;
  const text = startsWith(body, FORM_FIELD) ? fieldIn(body) : body;
  if (looksLikeJson(text)) return text;
  const binary = Buffer.from(asLatin1(text), "base64");
  return looksLikeJson(binary) ? binary : inflate(binary, "deflate", decodedLimit(maxBytes));
}

/** Percent-encoding trebles a text at most, and base64 adds a third to what is compressed. */
const MAX_FORM_FACTOR = 4;

const FORM_FIELD = "sentry_data=";

function startsWith(bytes: Uint8Array, word: string): boolean {
  return asLatin1(bytes.subarray(0, word.length)) === word;
}

function fieldIn(body: Uint8Array): Uint8Array {
  const form = new URLSearchParams(new TextDecoder().decode(body));
  return new TextEncoder().encode(form.get("sentry_data") ?? "");
}

/** Whether the first character that is no blank opens an object; a byte order mark counts as blank. */
function looksLikeJson(bytes: Uint8Array): boolean {
  return /^(?:\xef\xbb\xbf)?\s*\{/.test(asLatin1(bytes.subarray(0, 64)));
}

function asLatin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
}

/** `POST /api/<project>/security/`, to which browsers post by themselves, with the key in the query: content security policy and its relatives. */
export const sentrySecurity: Protocol = {
  name: "sentry_security",
  category: "security",
  keyTypes: KEY_TYPES,
  credentials: credentialsInHead,
  decode: (body, context) => decodeOnly("raw_security", body, context, NO_REPORT),
  reply: done,
  refuse: refused,
};

/** `POST /api/<project>/nel/`: failed requests, as browsers saw them. */
export const sentryNel: Protocol = {
  ...sentrySecurity,
  name: "sentry_nel",
  category: "log_item",
  decode: (body, context) => decodeOnly("nel", body, context, NO_REPORT),
};

const NO_REPORT = "The body is no report that a browser sends";

/** Browsers look at the status only. */
function done(): Response {
  return new Response(null, { status: 200, headers: CORS_HEADERS });
}

/**
 * `GET` or `POST /api/<project>/cron/<slug>/<key>`: a check-in for crontabs and `curl`, its fields in the query or
 * as a JSON body.
 */
export const sentryCron: Protocol = {
  name: "sentry_cron",
  category: "monitor",
  keyTypes: KEY_TYPES,
  credentials: (req, url) => credentialsInHead(req, url) ?? credentialsOf(partsOf(url.pathname)[1]),
  decode: decodeCheckIn,
  reply: () => new Response(null, { status: 202, headers: CORS_HEADERS }),
  refuse: refused,
};

/** The same for pings, whose address stands for a key and a job: they are stored and spooled as check-ins. */
export function sentryPing(publicKey: string): Protocol {
  return {
    ...sentryCron,
    credentials: () => ({ publicKey, client: null }),
    reply: () => new Response("OK\n", { headers: { "content-type": "text/plain" } }),
  };
}

const FIELDS = ["status", "check_in_id", "environment", "release", "duration"] as const;
/** The end of what is sent as a log: the rest is never shown. */
const MAX_LOG = 20_000;

/** What follows `/cron/`: the slug, and the key where it stands there. */
function partsOf(pathname: string): string[] {
  return pathname.split("/cron/", 2)[1]?.split("/").filter((part) => part !== "") ?? [];
}

function decodeCheckIn(body: Uint8Array, context: DecodeContext): Batch {
  const { pathname, searchParams } = new URL(context.address, "http://local.invalid");
  const checkIn: Raw = searchParams.get("body") === "log" ? logOf(body) : bodyOf(body);
  for (const field of FIELDS) {
    const value = searchParams.get(field);
    if (value !== null) put(checkIn, field, value);
  }
  readExit(checkIn, searchParams.get("exit"));
  const [slug = ""] = partsOf(pathname);
  checkIn.monitor_slug = decodePercent(slug);
  const payload = new TextEncoder().encode(JSON.stringify(checkIn));
  return decodeOnly("check_in", payload, context, NO_CHECK_IN);
}

const NO_CHECK_IN =
  "The address names no monitor, or check_in_id is no UUID: write 32 hexadecimal digits";

/** A shell's `$?`: 0 is good, and anything else says so at the end of the log. */
function readExit(checkIn: Raw, exit: string | null): void {
  if (exit === null || !/^\d{1,3}$/.test(exit) || checkIn.status !== undefined) return;
  checkIn.status = Number(exit) === 0 ? "ok" : "error";
  if (Number(exit) === 0) return;
  const before = typeof checkIn.log === "string" ? `${checkIn.log.trimEnd()}\n` : "";
  checkIn.log = `${before}Exit status ${Number(exit)}`;
}

/** A JSON object has the fields of a check-in; any other body is what the job says. */
function bodyOf(body: Uint8Array): Raw {
  if (body.length === 0) return {};
  let parsed: Json;
  try {
    parsed = parseJson(body);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return logOf(body);
  }
  const fields = asObject(parsed);
  return fields === undefined ? logOf(body) : { ...fields };
}

function logOf(body: Uint8Array): Raw {
  if (body.length === 0) return {};
  return { log: new TextDecoder().decode(body.subarray(-MAX_LOG)) };
}

/**
 * `POST /api/<project>/minidump/` and `/unreal/<key>/`: crash dumps of native programs. They are taken, so that the
 * client does not send them again and again, and counted as unsupported.
 */
export const sentryCrash: Protocol = {
  name: "sentry_crash",
  category: "attachment",
  keyTypes: KEY_TYPES,
  credentials: (req, url) => credentialsInHead(req, url) ?? credentialsOf(lastPartOf(url)),
  decode: (_, { address }) => ({
    records: [],
    outcomes: [{
      category: "attachment",
      kind: "unsupported",
      reason: address.includes("/unreal/") ? "unreal_report" : "minidump",
      quantity: 1,
    }],
    eventId: null,
  }),
  /** Crash reporters read the id as text, with hyphens. */
  reply: () =>
    new Response(crypto.randomUUID(), {
      headers: { ...CORS_HEADERS, "content-type": "text/plain" },
    }),
  refuse: refused,
};

function lastPartOf({ pathname }: URL): string | undefined {
  return pathname.replace(/\/+$/, "").split("/").pop();
}

function credentialsOf(part: string | undefined): Credentials | null {
  return part !== undefined && isPublicKey(part) ? { publicKey: part, client: null } : null;
}
