/** What uploads may be. Sizes in bytes. */
const MIB = 1024 * 1024;

/** A slice of an upload; a power of two, as older clients want it. */
export const CHUNK_BYTES = 8 * MIB;
/** Chunks of one request, unpacked. */
export const REQUEST_BYTES = 32 * MIB;
export const CHUNKS_PER_REQUEST = 64;
/** Requests that one client sends at a time: each may take several times its size in memory. */
export const CONCURRENCY = 4;
/** Names, types and headers of some ten thousand files. */
export const MANIFEST_BYTES = 16 * MIB;
export const MAX_FILES = 50_000;
/** One file, unpacked. Source maps of large apps have 10 to 30 MiB. */
export const FILE_BYTES = 64 * MIB;
/** Mappings of large Android apps have 30 to 100 MiB. */
export const PROGUARD_BYTES = 128 * MIB;
/** All files of a bundle, unpacked, by the size of the bundle: JavaScript and its maps deflate to a fifth. */
export const MAX_UNFOLDING = 16;
/** One file: real ones stay below 50. Small ones may be anything. */
export const MAX_RATIO = 200;
export const RATIO_COUNTS_FROM = MIB;
/** So that it fits into the row of an index, with release and dist. */
export const URL_BYTES = 1_500;
export const RELEASE_LENGTH = 200;
export const DIST_LENGTH = 64;

/** An upload that cannot be taken. `message` is a sentence for whoever sent it. */
export class BadUpload extends Error {
  override name = "BadUpload";
}

/** A size as sentences have it: `256 MiB`. */
export function mebibytes(bytes: number): string {
  return `${Number((bytes / MIB).toFixed(1))} MiB`;
}

/** Client input in a sentence: short, on one line. */
export function quote(text: string): string {
  const plain = text.toWellFormed().replaceAll(/\p{Cc}/gu, "?");
  return `"${plain.length > 100 ? `${plain.slice(0, 100)}…` : plain}"`;
}
