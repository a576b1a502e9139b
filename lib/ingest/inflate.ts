import { BrotliDecStream, BrotliStreamResultCode, initSync } from "brotli-dec-wasm/web";
import {
  constants,
  createGunzip,
  createInflate,
  createInflateRaw,
  createZstdDecompress,
  type ZlibOptions,
} from "node:zlib";
import {
  gunzip,
  hasTooManyMembers,
  MAX_GZIP_MEMBERS,
  runEngine,
  TooManyMembers,
} from "../core/inflate_engine.ts";
import { joinBytes } from "../core/read_body.ts";
import { Refusal } from "../core/refusal.ts";

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
 * @throws {Refusal} 413 above the cap and for more gzip members than anybody sends, 400 for broken or truncated data, 415 for another encoding
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
    if (error instanceof TooManyMembers) throw tooManyMembers();
    // Proxies unpack bodies and forget to drop the header.
    if (looksPlain(bytes)) return bytes;
    throw broken();
  }
}

/** Whether the name of an encoding, in lower case, stands for none. */
function isPlain(name: string): boolean {
  return PLAIN.has(name);
}

/** Takes several members in a row, as gzip allows. */
function gzip(bytes: Uint8Array, maxOutputLength: number): Uint8Array {
  return gunzip(bytes, { maxOutputLength });
}

/** RFC 9110 means zlib by "deflate", but some clients send the bare stream. */
function deflate(bytes: Uint8Array, maxOutputLength: number): Uint8Array {
  const create = hasZlibHeader(bytes) ? createInflate : createInflateRaw;
  return runEngine(create({ maxOutputLength }), bytes, constants.Z_FINISH).output;
}

/** Tells zlib's format from the bare stream. */
function hasZlibHeader([first = 0, second = 0]: Uint8Array): boolean {
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
  if (error instanceof OutputLimitExceeded) return true;
  return error instanceof Error && "code" in error && error.code === "ERR_BUFFER_TOO_LARGE";
}

function tooLarge(maxBytes: number): Refusal {
  return new Refusal(413, `The decompressed request body is larger than ${maxBytes} bytes`, {
    kind: "too_large",
    reason: "decoded_body",
  });
}

function tooManyMembers(): Refusal {
  const limit = MAX_GZIP_MEMBERS.toLocaleString("en");
  return new Refusal(
    413,
    `The request body has more than ${limit} gzip members: compress it as a whole`,
    { kind: "too_large", reason: "too_many_parts" },
  );
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

/** Output comes in pieces of this size: a bomb claims no more than one of them beyond the cap. */
const PIECE_BYTES = 262_144;

/**
 * Decompresses what a body begins with, when it was cut off or would unfold too far.
 *
 * @param bytes the first bytes of the body as sent
 * @param encoding as for `inflate()`
 * @param maxBytes cap on the result
 * @returns as much as there is, up to the cap; nothing for what cannot be decompressed piece by piece
 */
export async function inflateStart(
  bytes: Uint8Array,
  encoding: string,
  maxBytes: number,
): Promise<Uint8Array> {
  const name = encoding.trim().toLowerCase();
  if (isPlain(name)) return bytes.subarray(0, maxBytes);
  if (name === "br") return unbrotliStart(bytes, maxBytes);
  const engine = engineFor(name, bytes);
  if (engine === null) return new Uint8Array(0);
  const pieces: Uint8Array[] = [];
  let total = 0;
  try {
    engine.end(bytes);
    for await (const piece of engine) {
      pieces.push(piece);
      total += piece.length;
      if (total >= maxBytes) break;
    }
  } catch {
    // Damaged further on: what came before it is as good as what comes before a cut.
  } finally {
    engine.destroy();
  }
  return joinBytes(pieces).subarray(0, maxBytes);
}

/** An engine that does not mind an early end of its input; null where there is none, or it would take too long. */
function engineFor(name: string, bytes: Uint8Array) {
  const options: ZlibOptions = { chunkSize: PIECE_BYTES, finishFlush: constants.Z_SYNC_FLUSH };
  switch (name) {
    case "gzip":
    case "x-gzip":
      return hasTooManyMembers(bytes) ? null : createGunzip(options);
    case "deflate":
      return hasZlibHeader(bytes) ? createInflate(options) : createInflateRaw(options);
    case "zstd":
      return createZstdDecompress({
        chunkSize: PIECE_BYTES,
        finishFlush: constants.ZSTD_e_continue,
      });
    default:
      return null;
  }
}

/** The result would be larger than allowed. */
export class OutputLimitExceeded extends Error {
  override name = "OutputLimitExceeded";
}

/** Output is taken in pieces of this size, so that a bomb claims no more than the cap. */
const BROTLI_PIECE_BYTES = 65_536;

let isReady = false;

/**
 * Decompresses brotli. Not with `node:zlib`: Deno's decoder never frees some of the memory of broken
 * bodies (165 kB for one of 20 kB), so that anybody with a browser key could use it all up.
 *
 * @throws {OutputLimitExceeded} above `maxBytes`
 * @throws {Error} for broken or truncated data
 */
function unbrotli(bytes: Uint8Array, maxBytes: number): Uint8Array {
  const { pieces, total, isWhole } = unfold(bytes, maxBytes);
  if (total > maxBytes) throw new OutputLimitExceeded("Brotli data unfolds too far");
  if (!isWhole) throw new Error("Brotli data is truncated");
  return joinBytes(pieces);
}

/** Decompresses what brotli begins with: up to where it is truncated or broken, or up to `maxBytes`. */
function unbrotliStart(bytes: Uint8Array, maxBytes: number): Uint8Array {
  return joinBytes(unfold(bytes, maxBytes, true).pieces).subarray(0, maxBytes);
}

/** Takes piece after piece until the end, or until there is more than `maxBytes`. */
function unfold(bytes: Uint8Array, maxBytes: number, isLenient = false) {
  prepare();
  const stream = new BrotliDecStream();
  const pieces: Uint8Array[] = [];
  let total = 0;
  let input = bytes;
  try {
    while (total <= maxBytes) {
      const result = stream.dec(input, BROTLI_PIECE_BYTES);
      const { buf, code, input_offset: consumed } = result;
      result.free();
      pieces.push(buf);
      total += buf.length;
      if (code === BrotliStreamResultCode.ResultSuccess) return { pieces, total, isWhole: true };
      // It says so as soon as it has taken all of the input, with more to give.
      if (code === BrotliStreamResultCode.NeedsMoreInput && buf.length < BROTLI_PIECE_BYTES) break;
      input = input.subarray(consumed);
    }
  } catch (error) {
    if (!isLenient) throw error;
  } finally {
    stream.free();
  }
  return { pieces, total, isWhole: false };
}

/** Loads the decoder when the first body asks for it: many installations never see one. */
function prepare(): void {
  if (isReady) return;
  initSync({
    module: Deno.readFileSync(new URL(import.meta.resolve("brotli-dec-wasm/web/bg.wasm"))),
  });
  isReady = true;
}

/** The data are no block of snappy, or only a part of one. */
export class BrokenSnappy extends Error {
  override readonly name = "BrokenSnappy";
}

const LITERAL = 0;
const NEAR_COPY = 1;
const COPY = 2;
/** The most that three bytes stand for: what announces more is broken, and nothing is made for it. */
const MAX_RATIO = 64 / 3;

/**
 * Decompresses a block of snappy, as Prometheus sends it, without the framing of streams. What comes out has exactly
 * the length that the block announces, which is looked at before anything is made.
 *
 * @throws {OutputLimitExceeded} above `maxBytes`
 * @throws {BrokenSnappy} for broken or truncated data
 */
export function unsnappy(block: Uint8Array, maxBytes: number): Uint8Array {
  const { length, start } = announced(block);
  if (length > maxBytes) throw new OutputLimitExceeded("Snappy data unfolds too far");
  if (length > block.length * MAX_RATIO) throw brokenSnappy();
  // Whole words are written, of which the last may reach beyond the end.
  const room = new Uint8Array(length + WORD_BYTES);
  const output = new DataView(room.buffer);
  const input = new DataView(block.buffer, block.byteOffset, block.byteLength);
  let to = 0;
  for (let at = start; at < block.length;) {
    const tag = block[at++] ?? 0;
    const form = tag & 3;
    if (form === LITERAL) {
      const extra = Math.max(0, (tag >> 2) - 59);
      const size = (extra === 0 ? tag >> 2 : littleEndian(block, at, extra)) + 1;
      at += extra;
      if (at + size > block.length || to + size > length) throw brokenSnappy();
      if (size <= MAX_BY_WORDS && at + size + WORD_BYTES <= block.length) {
        copyWords(input, at, output, to, size);
      } else {
        room.set(block.subarray(at, at + size), to);
      }
      at += size;
      to += size;
      continue;
    }
    const size = form === NEAR_COPY ? (tag >> 2 & 7) + 4 : (tag >> 2) + 1;
    const extra = form === NEAR_COPY ? 1 : form === COPY ? 2 : 4;
    const high = form === NEAR_COPY ? (tag >> 5) * 256 : 0;
    const distance = high + littleEndian(block, at, extra);
    at += extra;
    if (distance === 0 || distance > to || to + size > length) throw brokenSnappy();
    if (distance >= WORD_BYTES) {
      copyWords(output, to - distance, output, to, size);
    } else {
      // Byte by byte: the copy reaches into what it writes.
      for (let end = to + size, next = to; next < end; next++) {
        room[next] = room[next - distance] ?? 0;
      }
    }
    to += size;
  }
  if (to !== length) throw brokenSnappy();
  return room.subarray(0, length);
}

const WORD_BYTES = 8;
/** Longer literals are copied at once. */
const MAX_BY_WORDS = 64;

/** Copies whole words, up to seven bytes more than asked for. Compiled, it makes no objects of them. */
function copyWords(
  source: DataView,
  from: number,
  target: DataView,
  to: number,
  size: number,
): void {
  for (let done = 0; done < size; done += WORD_BYTES) {
    target.setBigUint64(to + done, source.getBigUint64(from + done, true), true);
  }
}

/** How long the result is, as a varint at the beginning. */
function announced(block: Uint8Array): { length: number; start: number } {
  let length = 0;
  for (let at = 0; at < 5; at++) {
    const byte = block[at];
    if (byte === undefined) break;
    length += (byte & 0x7f) * 2 ** (7 * at);
    if (byte < 0x80 && length <= 0xffffffff) return { length, start: at + 1 };
  }
  throw brokenSnappy();
}

function littleEndian(block: Uint8Array, at: number, bytes: number): number {
  if (at + bytes > block.length) throw brokenSnappy();
  if (bytes === 1) return block[at] ?? 0;
  if (bytes === 2) return (block[at] ?? 0) | (block[at + 1] ?? 0) << 8;
  let value = 0;
  for (let index = 0; index < bytes; index++) value += (block[at + index] ?? 0) * 2 ** (8 * index);
  return value;
}

function brokenSnappy(): BrokenSnappy {
  return new BrokenSnappy("Snappy data are broken or truncated");
}
