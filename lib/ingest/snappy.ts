/** The data are no block of snappy, or only a part of one. */
export class BrokenSnappy extends Error {
  override readonly name = "BrokenSnappy";
}

/** A block would be larger than allowed. */
export class SnappyTooLarge extends Error {
  override readonly name = "SnappyTooLarge";
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
 * @throws {SnappyTooLarge} above `maxBytes`
 * @throws {BrokenSnappy} for broken or truncated data
 */
export function unsnappy(block: Uint8Array, maxBytes: number): Uint8Array {
  const { length, start } = announced(block);
  if (length > maxBytes) throw new SnappyTooLarge("Snappy data unfolds too far");
  if (length > block.length * MAX_RATIO) throw broken();
  const output = new Uint8Array(length);
  let to = 0;
  for (let at = start; at < block.length;) {
    const tag = block[at++] ?? 0;
    const form = tag & 3;
    if (form === LITERAL) {
      const extra = Math.max(0, (tag >> 2) - 59);
      const size = (extra === 0 ? tag >> 2 : littleEndian(block, at, extra)) + 1;
      at += extra;
      if (at + size > block.length || to + size > length) throw broken();
      output.set(block.subarray(at, at + size), to);
      at += size;
      to += size;
      continue;
    }
    const size = form === NEAR_COPY ? (tag >> 2 & 7) + 4 : (tag >> 2) + 1;
    const extra = form === NEAR_COPY ? 1 : form === COPY ? 2 : 4;
    const high = form === NEAR_COPY ? (tag >> 5) * 256 : 0;
    const distance = high + littleEndian(block, at, extra);
    at += extra;
    if (distance === 0 || distance > to || to + size > length) throw broken();
    // Byte by byte: a copy may reach into what it writes.
    for (let from = to - distance; from < to - distance + size; from++) {
      output[from + distance] = output[from] ?? 0;
    }
    to += size;
  }
  if (to !== length) throw broken();
  return output;
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
  throw broken();
}

function littleEndian(block: Uint8Array, at: number, bytes: number): number {
  if (at + bytes > block.length) throw broken();
  let value = 0;
  for (let index = 0; index < bytes; index++) value += (block[at + index] ?? 0) * 2 ** (8 * index);
  return value;
}

function broken(): BrokenSnappy {
  return new BrokenSnappy("Snappy data are broken or truncated");
}
