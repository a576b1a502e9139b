/**
 * Payloads of events as they are stored together: zstd of a table of places, which is the version (1 byte), the count
 * (4 bytes, little endian) and for each its event's id (16 bytes) and its length (4 bytes), and the payloads behind it.
 */
import { zstdDecompressSync } from "node:zlib";
import { zstd } from "../../core/zstd.ts";

const VERSION = 1;
const HEAD_BYTES = 5;
const ID_BYTES = 16;
const PLACE_BYTES = ID_BYTES + 4;

/** More payloads gain little, and each is read with all the others. */
export const MAX_PAYLOADS = 64;
/** Of payloads together, as they are written; one that is larger has a chunk of its own. */
export const MAX_BYTES = 256 * 1024;
/** Of those that are joined: ten of 50 KB take a quarter less each than five do, and are opened in less than a millisecond. */
export const MAX_JOINED_BYTES = 512 * 1024;

/** Chunks of less are joined with their neighbours. */
const SMALL = { payloads: MAX_PAYLOADS / 2, bytes: MAX_JOINED_BYTES / 2 };

/** Whether a chunk of so many payloads and bytes waits for others to be joined with. */
export function isSmallChunk(payloads: number, bytes: number): boolean {
  return payloads < SMALL.payloads && bytes < SMALL.bytes;
}

/** Bits of a chunk's id below its time in milliseconds, so that two of one millisecond differ. */
export const RANDOM_BITS = 21;
let lastRandom = crypto.getRandomValues(new Uint32Array(1))[0] ?? 0;

/**
 * A new id, in the order of time, as Postgres' `bigint`. Where two processes make the same one for one project, which
 * happens once in two million such milliseconds, Postgres refuses the second, and the writer tries again with others.
 */
export function newChunkId(now = Date.now()): string {
  lastRandom = (lastRandom + 1) % 2 ** RANDOM_BITS;
  return (BigInt(firstChunkIdOf(now)) | BigInt(lastRandom)).toString();
}

/** The lowest id of a time, in milliseconds since 1970: those of before are lower. */
export function firstChunkIdOf(time: number): string {
  return (BigInt(time) << BigInt(RANDOM_BITS)).toString();
}

/** The payload of an event. */
export interface ChunkEntry {
  /** 32 lower-case hex digits. */
  readonly eventId: string;
  /** UTF-8. */
  readonly payload: Uint8Array;
}

/** One that is packed: its payload as it is, or a text of so many bytes in UTF-8. */
export type NewEntry = ChunkEntry | {
  readonly eventId: string;
  readonly payload: string;
  readonly length: number;
};

const encoder = new TextEncoder();

/** The bytes of a chunk. */
export function packChunk(entries: readonly NewEntry[]): Uint8Array {
  const tableBytes = HEAD_BYTES + entries.length * PLACE_BYTES;
  const bytes = new Uint8Array(
    entries.reduce((sum, entry) => sum + lengthOf(entry), tableBytes),
  );
  const view = new DataView(bytes.buffer);
  view.setUint8(0, VERSION);
  view.setUint32(1, entries.length, true);
  let place = HEAD_BYTES;
  let at = tableBytes;
  for (const entry of entries) {
    const { eventId, payload } = entry;
    const length = lengthOf(entry);
    bytes.subarray(place, place + ID_BYTES).setFromHex(eventId);
    view.setUint32(place + ID_BYTES, length, true);
    if (typeof payload === "string") encoder.encodeInto(payload, bytes.subarray(at));
    else bytes.set(payload, at);
    place += PLACE_BYTES;
    at += length;
  }
  return zstd(bytes);
}

function lengthOf(entry: NewEntry): number {
  return "length" in entry ? entry.length : entry.payload.length;
}

/** What {@linkcode packChunk} packed. @throws {Error} when it is damaged, or of a version that this code lacks */
export function unpackChunk(body: Uint8Array): ChunkEntry[] {
  const bytes = zstdDecompressSync(body);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (view.getUint8(0) !== VERSION) {
    throw new Error("Cannot read a chunk of events: unknown version");
  }
  const count = view.getUint32(1, true);
  let at = HEAD_BYTES + count * PLACE_BYTES;
  return Array.from({ length: count }, (_, index) => {
    const place = HEAD_BYTES + index * PLACE_BYTES;
    const start = at;
    at += view.getUint32(place + ID_BYTES, true);
    if (at > bytes.length) throw new Error("Cannot read a chunk of events: it ends early");
    const eventId = bytes.subarray(place, place + ID_BYTES).toHex();
    return { eventId, payload: bytes.subarray(start, at) };
  });
}
