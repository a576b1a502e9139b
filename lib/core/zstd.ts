import { Buffer } from "node:buffer";
import { constants, zstdCompressSync, type ZstdOptions } from "node:zlib";

/** Of what zstd writes into at a time. */
const OUTPUT_BYTES = { min: 1024, max: 16 * 1024 };

/**
 * Compresses bytes into a frame of zstd (RFC 8878). Told how much is coming, zstd takes tables and a window of that size:
 * those of half a megabyte, which it takes otherwise, cost more than the compression of a few kilobytes does.
 *
 * @param level higher ones save some percent for several times the processor time. @default 1
 */
export function zstd(bytes: Uint8Array, level = 1): Buffer {
  const expected = Math.ceil(bytes.length / 4);
  const options: ZstdOptions & { readonly pledgedSrcSize: number } = {
    pledgedSrcSize: bytes.length,
    chunkSize: Math.min(Math.max(expected, OUTPUT_BYTES.min), OUTPUT_BYTES.max),
    params: { [constants.ZSTD_c_compressionLevel]: level },
  };
  return zstdCompressSync(bytes, options);
}
