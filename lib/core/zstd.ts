import { Buffer } from "node:buffer";
import {
  constants,
  createZstdCompress,
  zstdCompressSync,
  zstdDecompressSync,
  type ZstdOptions,
} from "node:zlib";
import { keptEngine } from "./kept_engine.ts";

/** Of what zstd writes into at a time. */
const OUTPUT_BYTES = { min: 1024, max: 16 * 1024 };

/**
 * Compresses bytes into a frame of zstd (RFC 8878). Told how much is coming, zstd takes tables and a window of that size:
 * those of half a megabyte, which it takes otherwise, cost more than the compression of a few kilobytes does.
 *
 * @param level higher ones save some percent for several times the processor time. @default 1
 */
export function zstd(bytes: Uint8Array, level = 1): Buffer {
  const packed = level === 1 && bytes.length <= KEPT.maxBytes ? compressKept(bytes) : null;
  if (packed !== null) return packed;
  const expected = Math.ceil(bytes.length / 4);
  const options: ZstdOptions & { readonly pledgedSrcSize: number } = {
    pledgedSrcSize: bytes.length,
    chunkSize: Math.min(Math.max(expected, OUTPUT_BYTES.min), OUTPUT_BYTES.max),
    params: { [constants.ZSTD_c_compressionLevel]: level },
  };
  return zstdCompressSync(bytes, options);
}

/**
 * Making a compressor takes twice the time that it needs for a payload of 12 KB, so one is kept for what is small. It
 * does not know how much is coming, so it is told what suits one payload and ten alike.
 */
const KEPT = {
  maxBytes: 128 * 1024,
  /** More than any of them takes: what cannot be compressed grows by four thousandths. */
  outputBytes: 132 * 1024,
  params: {
    [constants.ZSTD_c_compressionLevel]: 1,
    [constants.ZSTD_c_windowLog]: 17,
    [constants.ZSTD_c_hashLog]: 14,
    [constants.ZSTD_c_minMatch]: 5,
  },
};

type Compress = (bytes: Uint8Array) => Buffer;

/** Undefined before the first use; null where it does not work. */
let kept: Compress | null | undefined;

/** Null: it has to be done by another compressor. */
function compressKept(bytes: Uint8Array): Buffer | null {
  try {
    if (kept === undefined) kept = compressorOf(createZstdCompress({ params: KEPT.params }));
    return kept?.(bytes) ?? null;
  } catch {
    kept = null;
    return null;
  }
}

/**
 * Compresses by a stream again and again, each frame by itself, of at most 128 KB.
 *
 * @returns null when its insides are not as expected, or what went in does not come out
 */
export function compressorOf(stream: ReturnType<typeof createZstdCompress>): Compress | null {
  const engine = keptEngine(stream);
  if (engine === null) return null;
  const output = new Uint8Array(KEPT.outputBytes);
  const compress = (bytes: Uint8Array): Buffer => {
    const length = engine.run(bytes, constants.ZSTD_e_end, output);
    if (length === null) throw new Error("Cannot compress");
    return Buffer.from(output.subarray(0, length));
  };
  return isRight(compress) ? compress : null;
}

/** Twice, as what is kept could remember the first. Each ends its frame, after which zstd begins another one. */
function isRight(compress: Compress): boolean {
  const samples = ["", "a ".repeat(10_000)].map((text) => Buffer.from(text));
  return [...samples, ...samples].every((bytes) =>
    zstdDecompressSync(compress(bytes)).equals(bytes)
  );
}
