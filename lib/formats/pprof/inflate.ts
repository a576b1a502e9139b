import { constants, createGunzip } from "node:zlib";
import { runEngine } from "../../core/inflate_engine.ts";
import { tooLarge } from "./decode.ts";
import { LIMITS } from "./limits.ts";
import { otherFormat } from "./other_formats.ts";
import { PprofError } from "./pprof_error.ts";

/** A transport may compress what is compressed already. */
const MAX_LAYERS = 2;
/** Most profiles come out in a few pieces of this. */
const CHUNK_BYTES = 64 * 1024;

/**
 * Takes the gzip off a profile, known by its first bytes, and tells other formats from pprof. Synchronous on purpose:
 * `node:zlib` of Deno holds the thread either way, and one body at a time bounds the memory that bombs can claim.
 *
 * @param bytes as sent: plain, or under one or two layers of gzip
 * @returns the message, at most 32 MiB; `bytes` itself when it was not compressed
 * @throws {PprofError} too_large above that or when compressed more than a hundredfold, invalid for gzip that is cut
 * short or damaged and for other formats, with its name
 */
export function inflatePprof(bytes: Uint8Array): Uint8Array {
  let plain = bytes;
  for (let layer = 0; layer < MAX_LAYERS && isGzip(plain); layer++) {
    plain = gunzip(plain, mostBytes(bytes.length));
  }
  if (isGzip(plain)) throw new PprofError(`it is under more than ${MAX_LAYERS} layers of gzip`);
  if (plain.length > LIMITS.rawBytes) throw tooLarge();
  if (plain.length === 0) throw new PprofError("it is empty");
  const other = otherFormat(plain);
  if (other !== null) throw new PprofError(`it is ${other}`);
  return plain;
}

/** Whether bytes are, or claim to be, compressed by gzip. */
export function isGzip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b;
}

/** How many bytes so many may become. */
function mostBytes(compressed: number): number {
  const most = Math.max(compressed * LIMITS.compression, LIMITS.bytesOfAnyCompression);
  return Math.min(most, LIMITS.rawBytes);
}

function gunzip(bytes: Uint8Array, maxOutputLength: number): Uint8Array {
  try {
    const engine = createGunzip({ maxOutputLength, chunkSize: CHUNK_BYTES });
    return runEngine(engine, bytes, constants.Z_FINISH).output;
  } catch (error) {
    throw refusalOf(error, maxOutputLength);
  }
}

function refusalOf(error: unknown, maxBytes: number): unknown {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  switch (code) {
    case "ERR_BUFFER_TOO_LARGE":
      return maxBytes === LIMITS.rawBytes ? tooLarge() : new PprofError(
        `it is compressed more than ${LIMITS.compression}-fold, as no profile is`,
        "too_large",
      );
    case "Z_BUF_ERROR":
      return new PprofError("its gzip data end too early");
    case "Z_DATA_ERROR":
      return new PprofError("its gzip data are damaged");
    default:
      return error;
  }
}
