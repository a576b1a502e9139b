import {
  constants,
  createGunzip,
  createInflate,
  createInflateRaw,
  createZstdDecompress,
  type ZlibOptions,
} from "node:zlib";
import { unbrotliStart } from "./brotli.ts";
import { hasZlibHeader, isPlain } from "./inflate.ts";
import { joinBytes } from "../core/join_bytes.ts";

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

/** An engine that does not mind an early end of its input. */
function engineFor(name: string, bytes: Uint8Array) {
  const options: ZlibOptions = { chunkSize: PIECE_BYTES, finishFlush: constants.Z_SYNC_FLUSH };
  switch (name) {
    case "gzip":
    case "x-gzip":
      return createGunzip(options);
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
