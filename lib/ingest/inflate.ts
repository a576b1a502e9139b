import {
  constants,
  createGunzip,
  createInflate,
  createInflateRaw,
  createZstdDecompress,
} from "node:zlib";
import { runEngine } from "../core/inflate_engine.ts";
import { OutputLimitExceeded, unbrotli } from "./brotli.ts";
import { Refusal } from "../core/refusal.ts";
import { SnappyTooLarge, unsnappy } from "./snappy.ts";

/** What clients write when they compress nothing: old Android named the character set here. */
const PLAIN = new Set(["", "identity", "utf-8", "utf8", "none"]);

const DECODERS: Readonly<Record<string, (bytes: Uint8Array, maxBytes: number) => Uint8Array>> = {
  gzip,
  "x-gzip": gzip,
  deflate,
  br: unbrotli,
  zstd,
  snappy: unsnappy,
};

/**
 * Decompresses a body. Synchronous on purpose: `node:zlib` of Deno holds the main thread either way, and
 * one body at a time bounds the memory that bombs can claim.
 *
 * @param bytes the body as sent
 * @param encoding `Content-Encoding`: gzip, deflate (zlib or raw), br, zstd, snappy (a block), or nothing
 * @param maxBytes cap on the result
 * @throws {Refusal} 413 above the cap, 400 for broken or truncated data, 415 for another encoding
 */
export function inflate(bytes: Uint8Array, encoding: string, maxBytes: number): Uint8Array {
  const name = encoding.trim().toLowerCase();
  if (isPlain(name) || bytes.length === 0) return bytes;
  const decode = Object.hasOwn(DECODERS, name) ? DECODERS[name] : undefined;
  if (decode === undefined) throw unsupported();
  try {
    return decode(bytes, maxBytes);
  } catch (error) {
    if (isTooLarge(error)) throw tooLarge(maxBytes);
    // Proxies unpack bodies and forget to drop the header.
    if (looksPlain(bytes)) return bytes;
    throw broken();
  }
}

/** Whether the name of an encoding, in lower case, stands for none. */
export function isPlain(name: string): boolean {
  return PLAIN.has(name);
}

/** Takes several members in a row, as gzip allows. */
function gzip(bytes: Uint8Array, maxOutputLength: number): Uint8Array {
  return runEngine(createGunzip({ maxOutputLength }), bytes, constants.Z_FINISH).output;
}

/** RFC 9110 means zlib by "deflate", but some clients send the bare stream. */
function deflate(bytes: Uint8Array, maxOutputLength: number): Uint8Array {
  const create = hasZlibHeader(bytes) ? createInflate : createInflateRaw;
  return runEngine(create({ maxOutputLength }), bytes, constants.Z_FINISH).output;
}

/** Tells zlib's format from the bare stream. */
export function hasZlibHeader([first = 0, second = 0]: Uint8Array): boolean {
  return (first & 0x0f) === 8 && (first * 256 + second) % 31 === 0;
}

/**
 * Makes sure that the data was whole: Deno's decoder returns what it has when the input ends early. Once
 * it has seen the end it leaves the byte that we append.
 */
function zstd(bytes: Uint8Array, maxOutputLength: number): Uint8Array {
  const input = new Uint8Array(bytes.length + 1);
  input.set(bytes);
  const engine = createZstdDecompress({ maxOutputLength });
  const { output, taken } = runEngine(engine, input, constants.ZSTD_e_end);
  if (taken !== bytes.length) throw broken();
  return output;
}

function looksPlain(bytes: Uint8Array): boolean {
  const start = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
  return bytes[start] === 0x7b; // {
}

function isTooLarge(error: unknown): boolean {
  if (error instanceof OutputLimitExceeded || error instanceof SnappyTooLarge) return true;
  return error instanceof Error && "code" in error && error.code === "ERR_BUFFER_TOO_LARGE";
}

function tooLarge(maxBytes: number): Refusal {
  return new Refusal(413, `The decompressed request body is larger than ${maxBytes} bytes`, {
    kind: "too_large",
    reason: "decoded_body",
  });
}

function broken(): Refusal {
  return new Refusal(400, "The request body does not match its Content-Encoding or is truncated", {
    kind: "invalid",
    reason: "broken_encoding",
  });
}

function unsupported(): Refusal {
  return new Refusal(
    415,
    "The Content-Encoding is not supported: use gzip, deflate, br, zstd, snappy or none",
    { kind: "invalid", reason: "unsupported_encoding" },
  );
}
