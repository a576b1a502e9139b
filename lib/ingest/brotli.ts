import { BrotliDecStream, BrotliStreamResultCode, initSync } from "brotli-dec-wasm/web";
import { joinBytes } from "../core/join_bytes.ts";

/** The result would be larger than allowed. */
export class OutputLimitExceeded extends Error {
  override name = "OutputLimitExceeded";
}

/** Output is taken in pieces of this size, so that a bomb claims no more than the cap. */
const PIECE_BYTES = 65_536;

let isReady = false;

/**
 * Decompresses brotli. Not with `node:zlib`: Deno's decoder never frees some of the memory of broken
 * bodies (165 kB for one of 20 kB), so that anybody with a browser key could use it all up.
 *
 * @throws {OutputLimitExceeded} above `maxBytes`
 * @throws {Error} for broken or truncated data
 */
export function unbrotli(bytes: Uint8Array, maxBytes: number): Uint8Array {
  const { pieces, total, isWhole } = unfold(bytes, maxBytes);
  if (total > maxBytes) throw new OutputLimitExceeded("Brotli data unfolds too far");
  if (!isWhole) throw new Error("Brotli data is truncated");
  return joinBytes(pieces);
}

/** Decompresses what brotli begins with: up to where it is truncated or broken, or up to `maxBytes`. */
export function unbrotliStart(bytes: Uint8Array, maxBytes: number): Uint8Array {
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
      const result = stream.dec(input, PIECE_BYTES);
      const { buf, code, input_offset: consumed } = result;
      result.free();
      pieces.push(buf);
      total += buf.length;
      if (code === BrotliStreamResultCode.ResultSuccess) return { pieces, total, isWhole: true };
      // It says so as soon as it has taken all of the input, with more to give.
      if (code === BrotliStreamResultCode.NeedsMoreInput && buf.length < PIECE_BYTES) break;
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
