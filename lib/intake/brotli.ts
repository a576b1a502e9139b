import { BrotliDecStream, BrotliStreamResultCode, initSync } from "brotli-dec-wasm/web";
import { joinBytes } from "./join_bytes.ts";

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
  prepare();
  const stream = new BrotliDecStream();
  try {
    return decode(stream, bytes, maxBytes);
  } finally {
    stream.free();
  }
}

function decode(stream: BrotliDecStream, bytes: Uint8Array, maxBytes: number): Uint8Array {
  const pieces: Uint8Array[] = [];
  let total = 0;
  let input = bytes;
  for (;;) {
    const result = stream.dec(input, PIECE_BYTES);
    const { buf, code, input_offset: consumed } = result;
    result.free();
    total += buf.length;
    if (total > maxBytes) throw new OutputLimitExceeded("Brotli data unfolds too far");
    pieces.push(buf);
    if (code === BrotliStreamResultCode.ResultSuccess) return joinBytes(pieces);
    if (code === BrotliStreamResultCode.NeedsMoreInput) throw new Error("Brotli data is truncated");
    input = input.subarray(consumed);
  }
}

/** Loads the decoder when the first body asks for it: many installations never see one. */
function prepare(): void {
  if (isReady) return;
  initSync({
    module: Deno.readFileSync(new URL(import.meta.resolve("brotli-dec-wasm/web/bg.wasm"))),
  });
  isReady = true;
}
