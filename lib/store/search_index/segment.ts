/**
 * A segment tells of rows that follow each other in time where what is searched for may be: it divides them into blocks,
 * and has a bit for each block and each bucket.
 */
import { deflateRawSync, inflateRawSync } from "node:zlib";
import { BUCKETS } from "./buckets.ts";

/** A byte has the bits of eight of them. */
export const BLOCKS = 64;
const BYTES_A_BUCKET = BLOCKS / 8;
/** Buckets are stored so many together: a search reads the parts of those that it asks for. */
const BUCKETS_A_PART = 256;
const PART_BYTES = BUCKETS_A_PART * BYTES_A_BUCKET;
/** Windows of deflate larger than a part cost and gain nothing. */
const DEFLATE = { level: 6, windowBits: 11, memLevel: 5 };

/** What a segment knows about its blocks. */
export interface Blocks {
  /** When each begins, in milliseconds after the segment does. */
  readonly starts: readonly number[];
  readonly rows: readonly number[];
}

/** Collects the bits of a segment. */
export class SegmentBits {
  readonly #bits = new Uint8Array(BUCKETS * BYTES_A_BUCKET);

  add(block: number, bucket: number): void {
    const at = bucket * BYTES_A_BUCKET + (block >> 3);
    this.#bits[at] = (this.#bits[at] ?? 0) | (1 << (block & 7));
  }

  /** Packed parts by number, those aside in which nothing is. */
  get parts(): Map<number, Uint8Array> {
    const parts = new Map<number, Uint8Array>();
    for (let part = 0; part * PART_BYTES < this.#bits.length; part++) {
      const bytes = this.#bits.subarray(part * PART_BYTES, (part + 1) * PART_BYTES);
      if (bytes.some((byte) => byte !== 0)) parts.set(part, deflateRawSync(bytes, DEFLATE));
    }
    return parts;
  }
}

/** The part that a bucket is in. */
export function partOf(bucket: number): number {
  return Math.floor(bucket / BUCKETS_A_PART);
}

/**
 * The blocks in which all of these buckets are.
 *
 * @param parts packed, by number; one that is absent has nothing
 * @returns a bit for each block
 */
export function blocksWith(
  buckets: readonly number[],
  parts: ReadonlyMap<number, Uint8Array>,
): Uint8Array {
  const found = new Uint8Array(BYTES_A_BUCKET).fill(0xff);
  const unpacked = new Map<number, Uint8Array>();
  for (const bucket of buckets) {
    const part = partOf(bucket);
    const packed = parts.get(part);
    if (packed === undefined) return found.fill(0);
    const bytes = unpacked.get(part) ?? inflateRawSync(packed);
    unpacked.set(part, bytes);
    const from = (bucket % BUCKETS_A_PART) * BYTES_A_BUCKET;
    for (let at = 0; at < BYTES_A_BUCKET; at++) {
      found[at] = (found[at] ?? 0) & (bytes[from + at] ?? 0);
    }
  }
  return found;
}

export function hasBlock(blocks: Uint8Array, block: number): boolean {
  return ((blocks[block >> 3] ?? 0) & (1 << (block & 7))) !== 0;
}

/** Packs what is told of blocks. */
export function packJson(value: Blocks | readonly unknown[]): Uint8Array {
  return deflateRawSync(JSON.stringify(value));
}

/** Reads what `packJson()` has written. */
export function unpackJson<T extends Blocks | readonly unknown[]>(bytes: Uint8Array): T {
  return JSON.parse(new TextDecoder().decode(inflateRawSync(bytes)));
}
