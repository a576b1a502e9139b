import { Buffer } from "node:buffer";
import { KEY_TYPES } from "../../accounts/keys.ts";
import type { Batch } from "../../records/mod.ts";
import { inflate } from "../inflate.ts";
import type { DecodeContext, Protocol } from "../protocol.ts";
import { decodedLimit } from "../receive.ts";
import { Refusal } from "../../core/refusal.ts";
import { CORS_HEADERS } from "./cors.ts";
import { credentialsInHead } from "../sentry_credentials.ts";
import { accepted, refused } from "./reply.ts";
import { decodeSingleItem } from "../../formats/sentry/single_item.ts";

/** `POST /api/<project>/store/`: one event, as SDKs sent it before 2020 and hand-made clients still do. */
export const sentryStore: Protocol = {
  name: "sentry_store",
  category: "error",
  keyTypes: KEY_TYPES,
  credentials: credentialsInHead,
  decode,
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
function decode(body: Uint8Array, context: DecodeContext): Batch {
  const payload = eventIn(body, context.maxEventBytes);
  const batch = decodeSingleItem("event", payload, context);
  const [dropped] = batch.outcomes;
  if (dropped?.kind !== "invalid") return batch;
  throw new Refusal(400, "The body is not an event in JSON", dropped);
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
