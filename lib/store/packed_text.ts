/**
 * Large texts as Postgres keeps them: zstd. With its own lz4 an event takes a quarter to a third more, indexes
 * included. What was stored before this was done is plain UTF-8; the first bytes tell.
 */
import { constants, zstdCompressSync, zstdDecompressSync } from "node:zlib";

/** RFC 8878, section 3.1.1. */
const ZSTD_MAGIC = [0x28, 0xb5, 0x2f, 0xfd];
/** Higher levels save some percent for several times the processor time. */
const OPTIONS = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };

/** The text as hexadecimal digits of its packed form. */
export function packText(text: string): string {
  return zstdCompressSync(text, OPTIONS).toString("hex");
}

/** The text of a packed or a plain form. @throws {Error} when it is damaged */
export function unpackText(bytes: Uint8Array): string {
  const isPacked = ZSTD_MAGIC.every((byte, index) => bytes[index] === byte);
  return new TextDecoder().decode(isPacked ? zstdDecompressSync(bytes) : bytes);
}
